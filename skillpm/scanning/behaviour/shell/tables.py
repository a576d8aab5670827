"""What is known of commands, as data."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.shell.options import names

INTERPRETERS: Final = {
    **dict.fromkeys(names("python pypy"), "python"),
    **dict.fromkeys(names("node nodejs deno bun tsx ts-node"), "javascript"),
    **dict.fromkeys(names("perl"), "perl"),
    **dict.fromkeys(names("ruby"), "ruby"),
    **dict.fromkeys(names("php"), "php"),
    **dict.fromkeys(names("lua"), "lua"),
    **dict.fromkeys(names("osascript"), "applescript"),
    **dict.fromkeys(names("powershell pwsh"), "powershell"),
    **dict.fromkeys(names("Rscript"), "r"),
    **dict.fromkeys(names("julia"), "julia"),
    **dict.fromkeys(names("bash sh zsh dash ksh ash fish csh tcsh mksh rbash"), "shell"),
}
"""The language of each interpreter; a version behind the name is taken away first."""

CODE_FLAGS: Final = {
    "python": ("-c",),
    "javascript": ("-e", "--eval", "-p", "--print", "-pe"),
    "perl": ("-e", "-E"),
    "ruby": ("-e",),
    "php": ("-r", "-B", "-R", "-E"),
    "lua": ("-e",),
    "applescript": ("-e",),
    "r": ("-e",),
    "julia": ("-e", "-E"),
    "shell": ("-c",),
}
"""The options whose value is a program."""

READERS: Final = names(
    "cat head tail less more bat tac nl strings sort uniq cut paste od hexdump xxd base64 base32 "
    "gbase64 basenc gzip zcat gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 rev tr sed gsed awk "
    "gawk mawk nawk grep egrep fgrep zgrep rg ag jq yq column fold fmt pv iconv uuencode uudecode "
    "hexyl dos2unix expand unexpand shuf comm join diff xmllint envsubst ghead tsort csvtool mlr "
    "brotli compress uncompress ascii85 base58 qrencode ccencrypt"
)
"""Commands that read files or their input and write what they made of it."""

PATTERN_FIRST: Final = {
    "grep": ("-e", "-f", "--regexp", "--file"),
    "sed": ("-e", "-f", "--expression", "--file"),
    "awk": ("-f",),
    "jq": ("-f", "--from-file"),
    "yq": (),
    "tr": (),
    "envsubst": (),
}
"""Readers whose first argument is a pattern or program, unless one of these options gives it."""

ENCODERS: Final = names(
    "base64 base32 gbase64 basenc xxd od hexdump gzip bzip2 xz zstd lz4 uuencode brotli compress "
    "ascii85 base58"
)

DECODERS: Final = names("gunzip zcat bunzip2 unxz unzstd uncompress uudecode")

DECODING: Final = names("-d -D --decode --decompress -r -dc --decode= --uncompress")

COUNTERS: Final = names(
    "wc md5sum sha1sum sha256sum sha512sum shasum md5 cksum sum b2sum stat file test [ [["
)
"""Commands of whose input nothing is left in their output."""

FACTS: Final = names(
    "whoami hostname uname id ps ls find fd tree ifconfig ip df du w who last lsof netstat ss arp "
    "lscpu lsblk free uptime history groups sw_vers system_profiler ioreg dmidecode hostnamectl "
    "mount env-facts route getent finger lsusb lspci nvidia-smi top systeminfo scutil logname "
    "users lastlog dscl locale"
)
"""Commands that print facts about the machine, its user and files."""

SILENT: Final = names(
    "cd pushd popd true false : [ [[ test set shift return exit break continue wait sleep trap "
    "shopt setopt unsetopt let local export declare typeset readonly alias unalias unset getopts "
    "bind complete compdef autoload hash type which command-v pwd umask ulimit jobs fg bg disown "
    "dirs times suspend logout mkdir rmdir touch basename dirname realpath readlink date seq expr "
    "tput clear reset stty tty printf echo yes bc say builtin caller enable help integer setterm "
    "nproc getconf arch cal factor"
)
"""Commands that do nothing that an act stands for."""

CREDENTIALS: Final = {
    ("security", "find-generic-password"): "~/Library/Keychains",
    ("security", "find-internet-password"): "~/Library/Keychains",
    ("security", "dump-keychain"): "~/Library/Keychains",
    ("security", "export"): "~/Library/Keychains",
    ("secret-tool", "lookup"): "~/.local/share/keyrings",
    ("secret-tool", "search"): "~/.local/share/keyrings",
    ("pass", "show"): "~/.password-store",
    ("pass", "ls"): "~/.password-store",
    ("op", "read"): "~/.config/op",
    ("op", "item"): "~/.config/op",
    ("bw", "get"): "~/.config/Bitwarden",
    ("bw", "export"): "~/.config/Bitwarden",
    ("bw", "list"): "~/.config/Bitwarden",
    ("kwallet-query", ""): "~/.local/share/kwalletd",
    ("dscl", "-read"): "",
    ("keepassxc-cli", "show"): "~/passwords.kdbx",
}
"""Commands that print secrets, with the place where these are kept."""

TOKENS: Final = (
    "gcloud auth print-access-token",
    "gcloud auth print-identity-token",
    "gh auth token",
    "aws configure get",
    "az account get-access-token",
    "kubectl get secret",
    "heroku auth:token",
    "vault kv get",
    "vault read",
    "aws secretsmanager get-secret-value",
    "aws ssm get-parameter",
    "gcloud secrets versions access",
    "doppler secrets get",
    "aws sts get-session-token",
    "git credential fill",
    "npm token",
    "docker-credential-osxkeychain get",
)
"""Beginnings of commands that print one secret of the user."""

CLIPBOARD: Final = names("pbpaste wl-paste xclip xsel Get-Clipboard termux-clipboard-get")

SCREEN: Final = names(
    "screencapture scrot import gnome-screenshot grim maim spectacle flameshot xwd ksnip"
)

CAMERA: Final = names("imagesnap fswebcam termux-camera-photo")

MICROPHONE: Final = names("arecord rec parecord termux-microphone-record")

KEYBOARD: Final = names("logkeys xinput evtest xspy xev libinput showkey")

PROTECTIONS: Final = {
    ("spctl", "--master-disable"): "gatekeeper",
    ("spctl", "--global-disable"): "gatekeeper",
    ("csrutil", "disable"): "sip",
    ("setenforce", "0"): "selinux",
    ("ufw", "disable"): "firewall",
    ("iptables", "-F"): "firewall",
    ("iptables", "--flush"): "firewall",
    ("nft", "flush"): "firewall",
    ("ip6tables", "-F"): "firewall",
    ("aa-teardown", ""): "apparmor",
    ("aa-disable", ""): "apparmor",
    ("auditctl", "-e"): "auditd",
    ("tmutil", "disable"): "backups",
    ("pfctl", "-d"): "firewall",
    ("netsh", "advfirewall"): "firewall",
    ("setenforce", "Permissive"): "selinux",
    ("nvram", "boot-args"): "sip",
    ("auditctl", "-D"): "auditd",
    ("fdesetup", "disable"): "filevault",
    ("DevToolsSecurity", "-enable"): "developer-tools",
}
"""Commands that switch a protection off, with its name."""

GUARDS: Final = names(
    "auditd apparmor selinux firewalld ufw iptables nftables clamav clamd clamav-daemon "
    "clamav-freshclam falcon-sensor falcond crowdstrike sentinelone osquery osqueryd wazuh-agent "
    "wazuh ossec fail2ban rsyslog syslog syslog-ng mdatp defender sysmon aide rkhunter chkrootkit "
    "snort suricata tripwire cylance carbonblack cbagentd sophos esets xagt aliyun-service aegis "
    "cloudmonitor qcloud_agent YDService com.apple.alf xprotect microsoft-defender lulu"
)
"""Services and processes that guard a machine."""

INSTALLS: Final[dict[str, frozenset[str]]] = {
    "pip": names("download install wheel"),
    "pipx": names("install run"),
    "uv": names("add pip tool"),
    "npm": names("add ci create exec i init install x"),
    "pnpm": names("add create dlx i install"),
    "yarn": names("add create dlx global install"),
    "bun": names("add i install x"),
    "cargo": names("binstall install"),
    "go": names("get install run"),
    **dict.fromkeys(names("gem apt apt-get dnf snap flatpak deno port luarocks"), names("install")),
    "brew": names("cask install reinstall tap"),
    "yum": names("install localinstall"),
    "zypper": names("in install"),
    "pacman": names("-S -Sy -Syu -U"),
    "apk": names("add"),
    "dpkg": names("--install -i"),
    "rpm": names("-U -Uvh -i -ivh"),
    **dict.fromkeys(names("conda mamba"), names("create install")),
    "composer": names("install require"),
    **dict.fromkeys(names("code cursor"), names("--install-extension")),
    "claude": names("install mcp plugin"),
    "helm": names("install upgrade"),
    **dict.fromkeys(names("easy_install npx bunx uvx pnpx cpan cpanm"), frozenset({""})),
    "installer": names("-pkg"),
    "gh": names("extension"),
    "nix-env": names("-i -iA"),
    "asdf": names("install plugin"),
}
"""Commands that install, with their subcommands; "" when the command alone does."""

WRAPPERS: Final = names(
    "sudo doas env nohup exec command builtin time nice ionice timeout watch setsid stdbuf "
    "unbuffer chroot unshare nsenter flock strace ltrace caffeinate busybox gtimeout runuser "
    "proot fakeroot dbus-run-session xvfb-run catchsegv noglob nocorrect coproc setpriv torsocks "
    "torify proxychains proxychains4 firejail toybox taskset chrt uv-run then do else"
)
"""Commands that run the command which follows their options."""

ARGUMENTS_BEFORE: Final = {
    "timeout": 1,
    "gtimeout": 1,
    "chroot": 1,
    "flock": 1,
    "taskset": 1,
    "chrt": 1,
}
"""How many arguments a wrapper takes before the command."""

PROSE: Final = names(
    "the a an is are was be you your we our they this that these those it its with which should "
    "must can will would may might and or if when then of to for from in on as by not all any "
    "into about have has do does"
)
"""Words of English that stand in sentences and hardly in command lines."""
