# armctld
