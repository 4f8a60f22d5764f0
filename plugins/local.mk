include plugins/auth/local.mk
include plugins/state/local.mk
include plugins/fairness/local.mk
include plugins/order/local.mk
include plugins/preempt/local.mk
include plugins/select/local.mk
include plugins/contain/local.mk
