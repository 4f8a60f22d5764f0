# armd
