/*
 * The account of a job (account.h). Input: the account that a request names, or none. Output: the
 * account of the job, which may be none, or a refusal.
 */
#include "core/admission/account.h"

#include "conf/syntax_checks.h"

int admit_account(struct admission *a)
{
	struct err why;

	if (a->spec->account[0] && check_account(a->spec->account, &why) < 0)
		return admit_no(a, "account: %s", why.text);
	return 0;
}
