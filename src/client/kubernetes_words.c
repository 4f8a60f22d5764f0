/*
 * The words of Kubernetes' pod specifications and of Armada's job files, with their counterparts.
 *
 * In: a key of a job file that is not one of ours, or the text of a file with a syntax error. Out: what
 * to write instead. armada-job(5) prints the table.
 */
#include "client/kubernetes_words.h"

#include "util/mem.h"

#include <ctype.h>
#include <string.h>

/* clang-format off */
const struct kubernetes_words kubernetes_words[] = {
	{"pod template spec",
	 "a pod specification is the value of podSpec; or say what the tasks run with command, script or wrap"},
	{"containers initContainers sidecars",
	 "a pod has the list containers with one entry; start other programs from the script of the task"},
	{"image imagePullPolicy imagePullSecrets",
	 "tasks run the programs of their node; to use an image, call a program that runs images in command"},
	{"services service",
	 "no network service is made; tasks find those of a group by ARMADA_GROUP_NAME_ADDRESSES, and a group with "
	 "service = true serves the others"},
	{"ingress ingresses",
	 "nothing leads from outside to a job; its tasks listen on ports of their node, which aqueue shows"},
	{"ports containerPort hostNetwork hostPort dnsPolicy hostAliases",
	 "tasks use the network of their node; they may listen on any free port"},
	{"volumes volumeMounts volume persistentVolumeClaim",
	 "tasks see the file systems of their node; use paths, and chdir, input and output"},
	{"configMap configMaps secret secrets envFrom",
	 "use env, or a file that only you can read"},
	{"resources requests limits",
	 "use cpus, memory and gpus; an amount is both request and limit"},
	{"restartPolicy backoffLimit podFailurePolicy",
	 "use requeue or no_requeue, and on_task_failure"},
	{"nodeSelector affinity nodeAffinity requiredNodeLabels nodeName",
	 "use constraint for labels, nodelist and exclude for nodes"},
	{"podAffinity podAntiAffinity topologySpreadConstraints",
	 "use nodes, ntasks_per_node, exclusive and uniformity"},
	{"priorityClassName", "use priority_class"},
	{"terminationGracePeriodSeconds", "use grace_period, a string with a unit, as in \"30s\""},
	{"activeDeadlineSeconds", "use time, a string with a unit, as in \"2h\""},
	{"workingDir", "use chdir"},
	{"tasks taskSpecs", "use groups for tasks that differ, and ntasks or replicas for equal ones"},
	{"parallelism completions", "use ntasks for tasks that start together, and array for others"},
	{"namespace", "use queue and job_set"},
	{"serviceAccount serviceAccountName securityContext runAsUser runAsGroup",
	 "tasks run as the user who submits them"},
	{"livenessProbe readinessProbe startupProbe lifecycle",
	 "tasks are not probed; a task ends when its program does, and its exit code decides"},
	{"stdin tty", "use input for a file, or arun --pty for a terminal"},
	{"apiVersion kind metadata clientId schedulerName ttlSecondsAfterFinished",
	 "there is nothing like it; leave it out"},
};
/* clang-format on */
const size_t kubernetes_words_count = ARRAY_SIZE(kubernetes_words);

static bool is_joint(char c)
{
	return c == '-' || c == '_';
}

/* Whether the key is the word of `len` letters. */
static bool is_word(const char *key, const char *word, size_t len)
{
	for (; *key; key++) {
		if (is_joint(*key))
			continue;
		if (!len || tolower((unsigned char)*key) != tolower((unsigned char)*word))
			return false;
		word++;
		len--;
	}
	return !len;
}

const char *kubernetes_instead(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(kubernetes_words); i++) {
		const char *word = kubernetes_words[i].words;

		while (*word) {
			size_t len = strcspn(word, " ");

			if (is_word(key, word, len))
				return kubernetes_words[i].instead;
			word += len + strspn(word + len, " ");
		}
	}
	return NULL;
}

bool kubernetes_is_yaml(const char *text)
{
	size_t key;

	for (text += strspn(text, " \t\r\n"); *text == '#'; text += strspn(text, " \t\r\n"))
		text += strcspn(text, "\n");
	if (strncmp(text, "---", 3) == 0)
		return true;
	text += strspn(text, "- ");
	key = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	return key && text[key] == ':' && text[strcspn(text, ";\n")] != ';';
}
