"""What is known of commands, as data."""

from __future__ import annotations

from typing import Final


def _options(text: str) -> frozenset[str]:
    return frozenset(text.split())


VALUED: Final[dict[str, frozenset[str]]] = {
    name: _options(text)
    for name, text in {
        "curl": "-o --output -d --data --data-ascii --data-binary --data-raw --data-urlencode --json"
        " -F --form --form-string -H --header -X --request -u --user -T --upload-file -A --user-agent"
        " -e --referer -b --cookie -c --cookie-jar -m --max-time -K --config -w --write-out -x --proxy"
        " -E --cert --key --cacert --capath -r --range -z --time-cond -C --continue-at -Y -y -t -Q"
        " --quote -P -D --dump-header -U --proxy-user --url --retry --retry-delay --connect-timeout"
        " --resolve --limit-rate --max-filesize --output-dir --oauth2-bearer --interface --proto"
        " --tlsv1 --ciphers --doh-url --max-redirs --retry-max-time --unix-socket --variable"
        " --expand-url --expand-data --url-query --create-file-mode --connect-to --socks5 --noproxy",
        "wget": "-O --output-document -P --directory-prefix -o --output-file -a --append-output"
        " --post-data --post-file --body-data --body-file --method --header -U --user-agent -e"
        " --execute -i --input-file -t --tries -T --timeout -w --wait -Q --quota -A -R -D -l --level"
        " --user --password --referer --load-cookies --save-cookies -B --base --cut-dirs"
        " --limit-rate --ca-certificate --certificate --private-key",
        "httpie": "-a --auth -o --output --proxy --session --timeout --verify --cert -A --auth-type"
        " -p --print -s --style --boundary --raw",
        "nc": "-p -w -s -i -q -X -x -c -e -g -G -I -O -T -P -m --exec --sh-exec --proxy --proxy-type",
        "ssh": "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B",
        "scp": "-c -F -i -J -l -o -P -S -D -X",
        "rsync": "-e --rsh --exclude --include --filter -f --exclude-from --include-from --files-from"
        " --bwlimit --port --password-file --log-file --temp-dir -T --partial-dir --max-size"
        " --backup-dir --chmod --chown -B --timeout --rsync-path --compare-dest --link-dest",
        "sftp": "-B -b -c -D -F -i -J -l -o -P -R -S -s",
        "ftp": "-u -p -P",
        "mail": "-s -a -A -b -c -r -S -f -u -e -F -t --to --from --server --body --header --attach",
        "dig": "-f -k -p -t -c -x -q -y -b",
        "ping": "-c -i -I -l -m -p -Q -s -S -t -T -w -W",
        "openssl": "-in -out -k -K -iv -pass -pbkdf2 -iter -md -S -connect -host -port -cert -key"
        " -CAfile -inkey -servername -passin -passout -kfile -e -days -subj -newkey -keyout -config",
        "gpg": "-o --output -r --recipient -u --local-user --passphrase --passphrase-file"
        " --passphrase-fd --homedir --cipher-algo --batch-file --pinentry-mode --keyserver",
        "tar": "-f --file -C --directory -X --exclude --exclude-from -T --files-from --transform"
        " --checkpoint-action --to-command -I --use-compress-program --strip-components -b -H"
        " --owner --group --mode --newer -N -g --rsh-command",
        "zip": "-P --password -x -i -b -n -t -tt --exclude",
        "unzip": "-d -P -x",
        "head": "-n -c --lines --bytes", "tail": "-n -c --lines --bytes --pid -s",
        "cut": "-d -f -c -b --delimiter --fields", "sort": "-k -t -o -S -T --key", "base64": "-w --wrap -b -i -o",
        "xxd": "-c -g -l -s -o -n -seek", "od": "-A -t -N -j -w", "hexdump": "-n -s -e -f", "fold": "-w",
        "grep": "-e -f -A -B -C -m --regexp --file --include --exclude --exclude-dir --color -g -t -T"
        " --glob --type --max-count -d -D",
        "sed": "-e -f --expression --file -l", "awk": "-F -v -f --assign --field-separator",
        "jq": "-f --from-file -L --indent --tab", "yq": "-o -p -I --output-format --input-format",
        "uniq": "-f -s -w", "nl": "-b -w -s", "tee": "", "strings": "-n -t -e", "pv": "-L -s -N",
        "less": "-p", "paste": "-d", "column": "-t -s -o -n -c -N", "split": "-b -l -n -a -C", "xargs":
        "-I -i -n -L -P -d -E -s -a --max-args --max-procs --delimiter --arg-file --replace",
        "sudo": "-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D -R", "doas": "-u -C",
        "env": "-u --unset -C --chdir -S --split-string", "timeout": "-s --signal -k --kill-after",
        "nice": "-n --adjustment", "ionice": "-c -n -p", "watch": "-n --interval", "stdbuf": "-i -o -e",
        "exec": "-a", "time": "-f -o --format --output", "su": "-c -s -g -l --command --shell",
        "runuser": "-u -g -s -c -l --user", "chroot": "--userspec --groups", "flock": "-w -E -c",
        "parallel": "-j --jobs -I -a --arg-file -S --colsep --delay --joblog --results --tmpdir",
        "unshare": "-S -G -R -w", "nsenter": "-t --target -S -G -r -w", "strace": "-e -o -p -s -u",
        "script": "-c --command -T -t -O -I -o", "setpriv": "--reuid --regid --groups", "taskset": "",
        "python": "-c -m -W -X --check-hash-based-pycs", "node": "-e --eval -p --print -r --require"
        " --import --loader --experimental-loader -C --input-type --env-file", "perl":
        "-e -E -I -M -m -F -0 -i -l", "ruby": "-e -I -r -C -F", "php": "-r -f -d -c -B -R -E -S -t",
        "lua": "-e -l", "osascript": "-e -l -s", "powershell": "", "shell": "-o -O --rcfile"
        " --init-file", "Rscript": "-e", "julia": "-e -E", "deno": "-c --config",
        "rm": "", "chmod": "--reference", "chown": "--from --reference", "cp": "-t --target-directory -S",
        "mv": "-t --target-directory -S", "ln": "-t --target-directory -S",
        "install": "-m --mode -o --owner -g --group -t --target-directory -S",
        "truncate": "-s --size -r --reference", "shred": "-n --iterations -s --size",
        "git": "-C -c --git-dir --work-tree --exec-path --namespace", "docker": "-H --host -c"
        " --context --config -l", "crontab": "-u -s", "at": "-f -q -t", "mktemp": "-p --tmpdir -t --suffix",
        "read": "-p -n -t -d -u -a -i -N -k", "printf": "-v", "date": "-d -r -f", "xclip": "-selection"
        " -sel -t -target -d -display -o_", "xsel": "-t", "ps": "", "ffmpeg": "",
        "git-clone": "-b --branch --depth -o --origin -u --reference -c --config -j --jobs --filter"
        " --separate-git-dir --template --shallow-since --server-option", "cd": "",
        "gh": "-d --desc -f --filename -R --repo -H --header -X --method -F --field --raw-field --input -q",
        "cloud": "--profile --region --endpoint-url --acl --storage-class --exclude --include"
        " --account-name --account-key --sas-token --container-name -c --connection-string -n --name"
        " -f --file --body --bucket --key --config --transfers --content-type -s --source -d",
    }.items()
}  # fmt: skip
"""Options that take a value, by command or family."""

FAMILY: Final = {
    "ncat": "nc", "netcat": "nc", "nc.openbsd": "nc", "nc.traditional": "nc", "http": "httpie",
    "https": "httpie", "xh": "httpie", "gtar": "tar", "bsdtar": "tar", "egrep": "grep",
    "fgrep": "grep", "zgrep": "grep", "rg": "grep", "ag": "grep", "gawk": "awk", "mawk": "awk",
    "nawk": "awk", "gsed": "sed", "gbase64": "base64", "base32": "base64", "basenc": "base64",
    "mutt": "mail", "mailx": "mail", "swaks": "mail", "sendmail": "mail", "msmtp": "mail",
    "sendemail": "mail", "s-nail": "mail", "nslookup": "dig", "host": "dig", "drill": "dig",
    "ping6": "ping", "hping3": "ping", "gtimeout": "timeout", "ghead": "head", "zcat": "cat",
    "gpg2": "gpg", "more": "less", "bat": "less", "lftp": "ftp", "tftp": "ftp", "chgrp": "chown",
    "aws": "cloud", "gsutil": "cloud", "gcloud": "cloud", "az": "cloud", "rclone": "cloud",
    "s3cmd": "cloud", "mc": "cloud", "podman": "docker", "nerdctl": "docker", "kubectl": "docker",
    "batch": "at", "tac": "cat", "rev": "cat",
}  # fmt: skip
"""Commands that take the options of another."""

INTERPRETERS: Final = {
    "python": "python", "pypy": "python", "node": "javascript", "nodejs": "javascript",
    "deno": "javascript", "bun": "javascript", "tsx": "javascript", "ts-node": "javascript",
    "perl": "perl", "ruby": "ruby", "php": "php", "lua": "lua", "osascript": "applescript",
    "powershell": "powershell", "pwsh": "powershell", "Rscript": "r", "julia": "julia",
    "bash": "shell", "sh": "shell", "zsh": "shell", "dash": "shell", "ksh": "shell",
    "ash": "shell", "fish": "shell", "csh": "shell", "tcsh": "shell", "mksh": "shell",
    "rbash": "shell",
}  # fmt: skip
"""The language of each interpreter; a version behind the name is taken away first."""

CODE_FLAGS: Final = {
    "python": ("-c",), "javascript": ("-e", "--eval", "-p", "--print", "-pe"), "perl": ("-e", "-E"),
    "ruby": ("-e",), "php": ("-r", "-B", "-R", "-E"), "lua": ("-e",), "applescript": ("-e",),
    "r": ("-e",), "julia": ("-e", "-E"), "shell": ("-c",),
}  # fmt: skip
"""The options whose value is a program."""

READERS: Final = frozenset(
    "cat head tail less more bat tac nl strings sort uniq cut paste od hexdump xxd base64 base32"
    " gbase64 basenc gzip zcat gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 rev tr sed gsed awk"
    " gawk mawk nawk grep egrep fgrep zgrep rg ag jq yq column fold fmt pv iconv uuencode uudecode"
    " hexyl dos2unix expand unexpand shuf comm join diff xmllint envsubst ghead tsort csvtool mlr"
    " brotli compress uncompress ascii85 base58 qrencode ccencrypt".split()
)
"""Commands that read files or their input and write what they made of it."""

PATTERN_FIRST: Final = {
    "grep": ("-e", "-f", "--regexp", "--file"), "sed": ("-e", "-f", "--expression", "--file"),
    "awk": ("-f",), "jq": ("-f", "--from-file"), "yq": (), "tr": (), "envsubst": (),
}  # fmt: skip
"""Readers whose first argument is a pattern or program, unless one of these options gives it."""

ENCODERS: Final = frozenset(
    "base64 base32 gbase64 basenc xxd od hexdump gzip bzip2 xz zstd lz4 uuencode brotli compress"
    " ascii85 base58".split()
)
DECODERS: Final = frozenset("gunzip zcat bunzip2 unxz unzstd uncompress uudecode".split())
DECODING: Final = frozenset(
    {"-d", "-D", "--decode", "--decompress", "-r", "-dc", "--decode=", "--uncompress"}
)
COUNTERS: Final = frozenset(
    "wc md5sum sha1sum sha256sum sha512sum shasum md5 cksum sum b2sum stat file test [ [[".split()
)
"""Commands of whose input nothing is left in their output."""

FACTS: Final = frozenset(
    "whoami hostname uname id ps ls find fd tree ifconfig ip df du w who last lsof netstat ss arp"
    " lscpu lsblk free uptime history groups sw_vers system_profiler ioreg dmidecode hostnamectl"
    " mount env-facts route getent finger lsusb lspci nvidia-smi top systeminfo scutil logname"
    " users lastlog dscl locale".split()
)
"""Commands that print facts about the machine, its user and files."""

SILENT: Final = frozenset(
    "cd pushd popd true false : [ [[ test set shift return exit break continue wait sleep trap"
    " shopt setopt unsetopt let local export declare typeset readonly alias unalias unset getopts"
    " bind complete compdef autoload hash type which command-v pwd umask ulimit jobs fg bg disown"
    " dirs times suspend logout mkdir rmdir touch basename dirname realpath readlink date seq expr"
    " tput clear reset stty tty printf echo yes bc say builtin caller enable help integer setterm"
    " nproc getconf arch cal factor".split()
)
"""Commands that do nothing that an act stands for."""

CREDENTIALS: Final = {
    ("security", "find-generic-password"): "~/Library/Keychains",
    ("security", "find-internet-password"): "~/Library/Keychains",
    ("security", "dump-keychain"): "~/Library/Keychains",
    ("security", "export"): "~/Library/Keychains",
    ("secret-tool", "lookup"): "~/.local/share/keyrings",
    ("secret-tool", "search"): "~/.local/share/keyrings",
    ("pass", "show"): "~/.password-store", ("pass", "ls"): "~/.password-store",
    ("op", "read"): "~/.config/op", ("op", "item"): "~/.config/op",
    ("bw", "get"): "~/.config/Bitwarden", ("bw", "export"): "~/.config/Bitwarden",
    ("bw", "list"): "~/.config/Bitwarden", ("kwallet-query", ""): "~/.local/share/kwalletd",
    ("dscl", "-read"): "", ("keepassxc-cli", "show"): "~/passwords.kdbx",
}  # fmt: skip
"""Commands that print secrets, with the place where these are kept."""

TOKENS: Final = (
    "gcloud auth print-access-token", "gcloud auth print-identity-token", "gh auth token",
    "aws configure get", "az account get-access-token", "kubectl get secret", "heroku auth:token",
    "vault kv get", "vault read", "aws secretsmanager get-secret-value", "aws ssm get-parameter",
    "gcloud secrets versions access", "doppler secrets get", "aws sts get-session-token",
    "git credential fill", "npm token", "docker-credential-osxkeychain get",
)  # fmt: skip
"""Beginnings of commands that print one secret of the user."""

CLIPBOARD: Final = frozenset({"pbpaste", "wl-paste", "xclip", "xsel", "Get-Clipboard", "termux-clipboard-get"})
SCREEN: Final = frozenset(
    "screencapture scrot import gnome-screenshot grim maim spectacle flameshot xwd ksnip".split()
)
CAMERA: Final = frozenset("imagesnap fswebcam termux-camera-photo".split())
MICROPHONE: Final = frozenset("arecord rec parecord termux-microphone-record".split())
KEYBOARD: Final = frozenset("logkeys xinput evtest xspy xev libinput showkey".split())

PROTECTIONS: Final = {
    ("spctl", "--master-disable"): "gatekeeper", ("spctl", "--global-disable"): "gatekeeper",
    ("csrutil", "disable"): "sip", ("setenforce", "0"): "selinux", ("ufw", "disable"): "firewall",
    ("iptables", "-F"): "firewall", ("iptables", "--flush"): "firewall", ("nft", "flush"): "firewall",
    ("ip6tables", "-F"): "firewall", ("aa-teardown", ""): "apparmor", ("aa-disable", ""): "apparmor",
    ("auditctl", "-e"): "auditd", ("tmutil", "disable"): "backups", ("pfctl", "-d"): "firewall",
    ("netsh", "advfirewall"): "firewall", ("setenforce", "Permissive"): "selinux",
    ("nvram", "boot-args"): "sip", ("auditctl", "-D"): "auditd", ("fdesetup", "disable"): "filevault",
    ("DevToolsSecurity", "-enable"): "developer-tools",
}  # fmt: skip
"""Commands that switch a protection off, with its name."""

GUARDS: Final = frozenset(
    "auditd apparmor selinux firewalld ufw iptables nftables clamav clamd clamav-daemon"
    " clamav-freshclam falcon-sensor falcond crowdstrike sentinelone osquery osqueryd wazuh-agent"
    " wazuh ossec fail2ban rsyslog syslog syslog-ng mdatp defender sysmon aide rkhunter chkrootkit"
    " snort suricata tripwire cylance carbonblack cbagentd sophos esets xagt aliyun-service aegis"
    " cloudmonitor qcloud_agent YDService com.apple.alf xprotect microsoft-defender lulu".split()
)
"""Services and processes that guard a machine."""

INSTALLS: Final = {
    "pip": {"install", "download", "wheel"}, "pipx": {"install", "run"}, "uv": {"add", "tool", "pip"},
    "npm": {"install", "i", "add", "ci", "exec", "x", "init", "create"},
    "pnpm": {"install", "i", "add", "dlx", "create"}, "yarn": {"add", "install", "dlx", "create", "global"},
    "bun": {"add", "install", "i", "x"}, "cargo": {"install", "binstall"}, "go": {"install", "get", "run"},
    "gem": {"install"}, "brew": {"install", "tap", "cask", "reinstall"}, "apt": {"install"},
    "apt-get": {"install"}, "dnf": {"install"}, "yum": {"install", "localinstall"}, "zypper": {"install", "in"},
    "pacman": {"-S", "-U", "-Sy", "-Syu"}, "apk": {"add"}, "snap": {"install"}, "flatpak": {"install"},
    "dpkg": {"-i", "--install"}, "rpm": {"-i", "-U", "-ivh", "-Uvh"}, "conda": {"install", "create"},
    "mamba": {"install", "create"}, "deno": {"install"}, "composer": {"require", "install"},
    "code": {"--install-extension"}, "cursor": {"--install-extension"}, "claude": {"plugin", "mcp", "install"},
    "helm": {"install", "upgrade"}, "port": {"install"}, "easy_install": {""}, "npx": {""},
    "bunx": {""}, "uvx": {""}, "pnpx": {""}, "installer": {"-pkg"}, "luarocks": {"install"},
    "gh": {"extension"}, "cpan": {""}, "cpanm": {""}, "nix-env": {"-i", "-iA"}, "asdf": {"install", "plugin"},
}  # fmt: skip
"""Commands that install, with their subcommands; "" when the command alone does."""

WRAPPERS: Final = frozenset(
    "sudo doas env nohup exec command builtin time nice ionice timeout watch setsid stdbuf unbuffer"
    " chroot unshare nsenter flock strace ltrace caffeinate busybox gtimeout runuser proot fakeroot"
    " dbus-run-session xvfb-run catchsegv noglob nocorrect coproc setpriv torsocks torify"
    " proxychains proxychains4 firejail toybox taskset chrt uv-run then do else".split()
)
"""Commands that run the command which follows their options."""

ARGUMENTS_BEFORE: Final = {"timeout": 1, "gtimeout": 1, "chroot": 1, "flock": 1, "taskset": 1, "chrt": 1}
"""How many arguments a wrapper takes before the command."""

PROSE: Final = frozenset(
    "the a an is are was be you your we our they this that these those it its with which should"
    " must can will would may might and or if when then of to for from in on as by not all any"
    " into about have has do does".split()
)
"""Words of English that stand in sentences and hardly in command lines."""
