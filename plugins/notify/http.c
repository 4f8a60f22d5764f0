/*
 * notify/http: sends the JSON object of each end to a URL, as the body of a POST request. The target is the
 * URL, http: or https:. A status of 200 to 299 accepts the end. Redirections are not followed, and proxies
 * of the environment do not apply, because the process has none. The connection is kept for the next end.
 */
#include <armada/notify.h>

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_S = 10 };

struct http {
	CURL *curl;
	struct curl_slist *headers;
	char text[CURL_ERROR_SIZE];
};

/* What the server answers is not of interest. */
static size_t ignore(char *data, size_t size, size_t count, void *arg)
{
	(void)data, (void)arg;
	return size * count;
}

static void close_target(void *handle)
{
	struct http *h = handle;

	curl_easy_cleanup(h->curl);
	curl_slist_free_all(h->headers);
	free(h);
}

static void set_options(struct http *h, const char *url)
{
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, ignore);
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->text);
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "armada");
}

static int open_target(void **ret_handle, const char *name, const char *target,
		       const struct armada_host *host, struct armada_error *err)
{
	struct http *h;

	(void)name, (void)host;
	if (strncmp(target, "http://", 7) != 0 && strncmp(target, "https://", 8) != 0) {
		snprintf(err->text, sizeof(err->text),
			 "'%.300s' is no URL that begins with http:// or https://", target);
		return -EINVAL;
	}
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->curl = curl_easy_init();
	h->headers = curl_slist_append(NULL, "Content-Type: application/json");
	if (!h->curl || !h->headers) {
		snprintf(err->text, sizeof(err->text), "libcurl cannot be used");
		close_target(h);
		return -ENOMEM;
	}
	set_options(h, target);
	*ret_handle = h;
	return 0;
}

static int deliver(void *handle, const struct armada_notify_end *end, struct armada_error *err)
{
	struct http *h = handle;
	long status = 0;
	CURLcode rc;

	h->text[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE, (long)end->json_len);
	curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, end->json);
	rc = curl_easy_perform(h->curl);
	if (rc != CURLE_OK) {
		snprintf(err->text, sizeof(err->text), "%s",
			 h->text[0] ? h->text : curl_easy_strerror(rc));
		return -EIO;
	}
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status <= 299)
		return 0;
	snprintf(err->text, sizeof(err->text), "the server answered with status %ld", status);
	return -EIO;
}

static const struct armada_notify_ops ops = {
	.open = open_target, .close = close_target, .deliver = deliver};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_NOTIFY, "http", "sends each end to a URL", ops);
