/*
 * The files of TLS (tls.h). Input: paths in the configuration. Output: texts in PEM that fit together. The
 * library of HTTP only says that it does not start, so the files are checked before it gets them.
 */
#include "armrestd/tls.h"

#include "util/buf.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/x509.h>
#include <string.h>
#include <unistd.h>

static int read_text(const char *option, const char *path, char **ret_text, struct err *err)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (fd < 0)
		return err_sys(err, -errno, "rest.%s: %s", option, path);
	rc = conf_read_text(fd, path, &text, err);
	if (rc == 0)
		*ret_text = xstrdup((char *)text.data);
	if (text.data)
		explicit_bzero(text.data, text.len);
	return rc < 0 ? err_prefix(err, rc, "rest.%s", option) : 0;
}

static gnutls_datum_t datum(char *text)
{
	return (gnutls_datum_t){(unsigned char *)text, (unsigned)strlen(text)};
}

static int check_certificate(const char *path, const gnutls_datum_t *text, struct err *err)
{
	gnutls_x509_crt_t *list;
	unsigned count;
	int rc = gnutls_x509_crt_list_import2(&list, &count, text, GNUTLS_X509_FMT_PEM, 0);

	if (rc < 0)
		return err_set(
			err, -EINVAL,
			"rest.tls_certificate: %s: expected a certificate in PEM, and its chain "
			"(%s)",
			path, gnutls_strerror(rc));
	for (unsigned i = 0; i < count; i++)
		gnutls_x509_crt_deinit(list[i]);
	gnutls_free(list);
	return 0;
}

static int check_key(const char *path, const gnutls_datum_t *text, struct err *err)
{
	gnutls_x509_privkey_t key;
	int rc = gnutls_x509_privkey_init(&key);

	if (rc == 0) {
		rc = gnutls_x509_privkey_import2(key, text, GNUTLS_X509_FMT_PEM, NULL, 0);
		gnutls_x509_privkey_deinit(key);
	}
	return rc < 0 ? err_set(err, -EINVAL,
				"rest.tls_key: %s: expected a private key in PEM without a "
				"password (%s)",
				path, gnutls_strerror(rc))
		      : 0;
}

static int check_pair(const struct conf *conf, const gnutls_datum_t *cert,
		      const gnutls_datum_t *key, struct err *err)
{
	gnutls_certificate_credentials_t both;
	int rc = gnutls_certificate_allocate_credentials(&both);

	if (rc == 0) {
		rc = gnutls_certificate_set_x509_key_mem(both, cert, key, GNUTLS_X509_FMT_PEM);
		gnutls_certificate_free_credentials(both);
	}
	return rc < 0 ? err_set(err, -EINVAL,
				"rest.tls_key: %s is not the key of the first certificate in %s "
				"(%s)",
				conf->rest.tls_key, conf->rest.tls_certificate, gnutls_strerror(rc))
		      : 0;
}

int tls_read(const struct conf *conf, char **ret_cert, char **ret_key, struct err *err)
{
	gnutls_datum_t cert, key;
	int rc;

	if (!conf->rest.tls_key[0] || !conf->rest.tls_certificate[0])
		return err_set(err, -EINVAL,
			       "rest.tls_certificate and rest.tls_key: give both, or none");
	rc = read_text("tls_certificate", conf->rest.tls_certificate, ret_cert, err);
	if (rc == 0)
		rc = read_text("tls_key", conf->rest.tls_key, ret_key, err);
	if (rc < 0)
		return rc;
	cert = datum(*ret_cert);
	key = datum(*ret_key);
	rc = check_certificate(conf->rest.tls_certificate, &cert, err);
	if (rc == 0)
		rc = check_key(conf->rest.tls_key, &key, err);
	return rc < 0 ? rc : check_pair(conf, &cert, &key, err);
}
