/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs git: posix_spawn with fixed arguments and an environment of our own, in a process group of
 * its own, so that the helpers it starts end with it. Both outputs are read to their end, and kept
 * up to a limit. The end is that of the process, not of its outputs: a helper that stays behind
 * (ssh keeps connections open) may hold those.
 */
#include "server/history/git_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/err.h"
#include "server/history/repo_url.h"

#define KEPT_MAX ((size_t)64 << 10) /* of each output */
#define GRACE_US 2000000            /* between asking it to end and killing it */
#define SAID_MAX 300                /* bytes of what it said that are passed on */

/* What a fetch may need of the service's own environment: programs, keys, proxies. */
static const char *const passed_on[] = {
	"PATH",        "HOME",        "USER",      "SSH_AUTH_SOCK", "TMPDIR",   "http_proxy",
	"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",     "no_proxy", "NO_PROXY",
};
static char *const fixed[] = {
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=false",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_ALLOW_PROTOCOL=file:git:http:https:ssh",
	"GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30",
};
#define NPASSED  (sizeof(passed_on) / sizeof(passed_on[0]))
#define NFIXED   (sizeof(fixed) / sizeof(fixed[0]))
#define ENV_ROOM (NPASSED + NFIXED + 1)

/* Before every command: no hooks, nothing in the background, a commit-graph that libgit2 can use;
 * a transfer that stands still ends. */
static const char *const settings[] = {
	"-c", "core.hooksPath=/dev/null",
	"-c", "gc.autoDetach=false",
	"-c", "fetch.unpackLimit=1",
	"-c", "gc.writeCommitGraph=false",
	"-c", "commitGraph.generationVersion=1",
	"-c", "http.lowSpeedLimit=1000",
	"-c", "http.lowSpeedTime=60",
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static void make_environment(struct arena *a, char *env[ENV_ROOM])
{
	size_t n = 0;

	for (size_t i = 0; i < NPASSED; i++) {
		const char *value = getenv(passed_on[i]);

		if (value)
			env[n++] = arena_fmt(a, "%s=%s", passed_on[i], value);
	}
	memcpy(env + n, fixed, sizeof(fixed));
	env[n + NFIXED] = NULL;
}

static char **make_arguments(struct arena *a, const struct git_run *g)
{
	char **argv = arena_array(a, char *, GIT_ARGS_MAX + NSETTINGS + 4);
	size_t n = 0;

	argv[n++] = arena_str(a, "git");
	for (size_t i = 0; i < NSETTINGS; i++)
		argv[n++] = arena_str(a, settings[i]);
	if (g->folder)
		argv[n++] = arena_fmt(a, "--git-dir=%s", g->folder);
	for (size_t i = 0; g->args[i] && i < GIT_ARGS_MAX; i++)
		argv[n++] = arena_str(a, g->args[i]);
	return argv;
}

struct child {
	pid_t pid;
	int pidfd;
	int fd[2]; /* its outputs; -1: at its end */
	struct out kept[2];
};

static int spawn(struct child *k, char **argv, char **env, const int write_end[2])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, pipe_signal;

	sigemptyset(&none);
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE); /* which we ignore */
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, write_end[0], 1);
	posix_spawn_file_actions_adddup2(&files, write_end[1], 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
					       POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &pipe_signal);
	int error = posix_spawnp(&k->pid, argv[0], &files, &how, argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* 0, or the number of the system's error. */
static int start(struct child *k, char **argv, char **env)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return errno;
	if (pipe2(err, O_CLOEXEC) < 0) {
		int error = errno;

		close(out[0]);
		close(out[1]);
		return error;
	}
	int error = spawn(k, argv, env, (const int[]){out[1], err[1]});
	close(out[1]);
	close(err[1]);
	k->fd[0] = out[0];
	k->fd[1] = err[0];
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	if (error)
		return error;
	k->pidfd = pidfd_open(k->pid, 0);
	if (k->pidfd < 0) { /* nothing could be waited for */
		error = errno;
		kill(-k->pid, SIGKILL);
		waitpid(k->pid, NULL, 0);
	}
	return error;
}

/* All that is there; what is over the limit is dropped. */
static void drain(struct child *k, int i)
{
	char buf[8192];
	ssize_t n;

	while (k->fd[i] >= 0 && (n = read(k->fd[i], buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break;
		size_t room = KEPT_MAX - k->kept[i].len;
		out_bytes(&k->kept[i], buf, (size_t)n < room ? (size_t)n : room);
	}
	if (k->fd[i] >= 0)
		close(k->fd[i]);
	k->fd[i] = -1;
}

enum ending { ENDED, TOO_LONG, STOPPED };

/* Until the process has ended. */
static enum ending watch(struct child *k, const struct git_run *g)
{
	int64_t deadline = clock_us() + (int64_t)g->seconds * 1000000, left;
	enum ending ending = ENDED;
	int signal_next = SIGTERM;

	for (;;) {
		bool look = g->stop && ending == ENDED;
		struct pollfd fds[] = {
			{.fd = k->pidfd, .events = POLLIN},
			{.fd = k->fd[0], .events = POLLIN},
			{.fd = k->fd[1], .events = POLLIN},
			{.fd = look ? g->stop->fd : -1, .events = POLLIN},
		};

		left = deadline - clock_us();
		poll(fds, 4, left < 0 ? 0 : left > 60000000 ? 60000 : (int)(left / 1000) + 1);
		drain(k, 0);
		drain(k, 1);
		if (fds[0].revents)
			return ending;
		if (fds[3].revents || clock_us() >= deadline) {
			if (ending == ENDED)
				ending = fds[3].revents ? STOPPED : TOO_LONG;
			kill(-k->pid, signal_next);
			signal_next = SIGKILL;
			deadline = clock_us() + GRACE_US;
		}
	}
}

/* The line that says why: "fatal: …", else the first "error: …", else the last one. */
static const char *what_it_said(struct arena *a, const struct out *err)
{
	char *text = arena_strn(a, err->p ? err->p : "", err->len), *last = NULL, *line,
	     *rest = text;
	bool is_error = false;

	while ((line = strsep(&rest, "\r\n"))) {
		bool fatal = strncmp(line, "fatal: ", 7) == 0;
		bool error = strncmp(line, "error: ", 7) == 0;

		if (*line && (fatal || !is_error))
			last = line + (fatal || error ? 7 : 0);
		is_error |= error;
		if (fatal)
			break;
	}
	if (!last)
		return "it failed without a word";
	if (strlen(last) > SAID_MAX)
		last[SAID_MAX] = '\0';
	return repo_url_shown(a, last);
}

static const char *say_problem(struct arena *a, const struct git_run *g, enum ending ending,
			       int status, const struct out *err)
{
	const char *verb = g->args[0];

	if (ending == STOPPED)
		return "the service was stopped meanwhile";
	if (ending == TOO_LONG)
		return arena_fmt(a, "git %s took more than %d seconds and was ended", verb,
				 g->seconds);
	if (WIFSIGNALED(status))
		return arena_fmt(a, "git %s was ended by signal %d", verb, WTERMSIG(status));
	return WEXITSTATUS(status) == 0
		       ? NULL
		       : arena_fmt(a, "git %s says: %s", verb, what_it_said(a, err));
}

bool git_run(struct arena *a, struct git_run *g)
{
	struct child k = {.pidfd = -1, .fd = {-1, -1}};
	char *env[ENV_ROOM];
	int status = 0;

	g->text = "";
	make_environment(a, env);
	out_init(&k.kept[0], KEPT_MAX);
	out_init(&k.kept[1], KEPT_MAX);
	int error = start(&k, make_arguments(a, g), env);
	if (error) {
		g->problem = arena_fmt(a, "git cannot be started: %s",
				       error == ENOENT ? "it is not installed" : strerror(error));
	} else {
		enum ending ending = watch(&k, g);

		kill(-k.pid,
		     SIGKILL); /* what it leaves behind, while the number is still its own */
		while (waitpid(k.pid, &status, 0) < 0 && errno == EINTR)
			;
		g->text = arena_strn(a, k.kept[0].p ? k.kept[0].p : "", k.kept[0].len);
		g->problem = say_problem(a, g, ending, status, &k.kept[1]);
	}
	for (int i = 0; i < 2; i++) {
		if (k.fd[i] >= 0)
			close(k.fd[i]);
		out_free(&k.kept[i]);
	}
	if (k.pidfd >= 0)
		close(k.pidfd);
	return !g->problem;
}
