#!/usr/bin/env bash
# Puts Debian's PostgreSQL 15 on the machine for the test matrix, without a running cluster.
# What cannot be installed is no failure: the tests on 15 then report that they did not run.
set -euo pipefail
readonly postgres=/usr/lib/postgresql/15/bin/postgres

not_run() {
    echo "PostgreSQL 15 is not on this machine ($1): the tests on 15 are reported as not run"
    exit 0
}

[[ -x $postgres ]] && exit 0
[[ $(id -u) -eq 0 ]] || not_run "installing it needs root"
command -v apt-get >/dev/null || not_run "installing it needs apt-get"

export DEBIAN_FRONTEND=noninteractive
# Read by the package's installer: without it a cluster would be made and started.
mkdir -p /etc/postgresql-common
if ! grep -qs '^create_main_cluster' /etc/postgresql-common/createcluster.conf; then
    echo 'create_main_cluster = false' >>/etc/postgresql-common/createcluster.conf
fi
echo "installing postgresql-15"
apt-get install -qq --yes --no-install-recommends postgresql-15 >/dev/null 2>&1 ||
    { apt-get update -qq >/dev/null 2>&1 &&
        apt-get install -qq --yes --no-install-recommends postgresql-15 >/dev/null 2>&1; } ||
    not_run "apt-get could not install postgresql-15"
[[ -x $postgres ]] || not_run "the package has no $postgres"
