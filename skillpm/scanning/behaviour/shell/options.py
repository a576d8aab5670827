"""Which options of commands take a value."""

from __future__ import annotations

from typing import Final


def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


VALUED: Final[dict[str, frozenset[str]]] = {
    "curl": names(
        "-o --output -d --data --data-ascii --data-binary --data-raw --data-urlencode --json -F "
        "--form --form-string -H --header -X --request -u --user -T --upload-file -A --user-agent "
        "-e --referer -b --cookie -c --cookie-jar -m --max-time -K --config -w --write-out -x "
        "--proxy -E --cert --key --cacert --capath -r --range -z --time-cond -C --continue-at -Y "
        "-y -t -Q --quote -P -D --dump-header -U --proxy-user --url --retry --retry-delay "
        "--connect-timeout --resolve --limit-rate --max-filesize --output-dir --oauth2-bearer "
        "--interface --proto --tlsv1 --ciphers --doh-url --max-redirs --retry-max-time "
        "--unix-socket --variable --expand-url --expand-data --url-query --create-file-mode "
        "--connect-to --socks5 --noproxy"
    ),
    "wget": names(
        "-O --output-document -P --directory-prefix -o --output-file -a --append-output "
        "--post-data --post-file --body-data --body-file --method --header -U --user-agent -e "
        "--execute -i --input-file -t --tries -T --timeout -w --wait -Q --quota -A -R -D -l "
        "--level --user --password --referer --load-cookies --save-cookies -B --base --cut-dirs "
        "--limit-rate --ca-certificate --certificate --private-key"
    ),
    "httpie": names(
        "-a --auth -o --output --proxy --session --timeout --verify --cert -A --auth-type -p "
        "--print -s --style --boundary --raw"
    ),
    "nc": names(
        "-p -w -s -i -q -X -x -c -e -g -G -I -O -T -P -m --exec --sh-exec --proxy --proxy-type"
    ),
    "ssh": names("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"),
    "scp": names("-c -F -i -J -l -o -P -S -D -X"),
    "rsync": names(
        "-e --rsh --exclude --include --filter -f --exclude-from --include-from --files-from "
        "--bwlimit --port --password-file --log-file --temp-dir -T --partial-dir --max-size "
        "--backup-dir --chmod --chown -B --timeout --rsync-path --compare-dest --link-dest"
    ),
    "sftp": names("-B -b -c -D -F -i -J -l -o -P -R -S -s"),
    "ftp": names("-u -p -P"),
    "mail": names(
        "-s -a -A -b -c -r -S -f -u -e -F -t --to --from --server --body --header --attach"
    ),
    "dig": names("-f -k -p -t -c -x -q -y -b"),
    "ping": names("-c -i -I -l -m -p -Q -s -S -t -T -w -W"),
    "openssl": names(
        "-in -out -k -K -iv -pass -pbkdf2 -iter -md -S -connect -host -port -cert -key -CAfile "
        "-inkey -servername -passin -passout -kfile -e -days -subj -newkey -keyout -config"
    ),
    "gpg": names(
        "-o --output -r --recipient -u --local-user --passphrase --passphrase-file "
        "--passphrase-fd --homedir --cipher-algo --batch-file --pinentry-mode --keyserver"
    ),
    "tar": names(
        "-f --file -C --directory -X --exclude --exclude-from -T --files-from --transform "
        "--checkpoint-action --to-command -I --use-compress-program --strip-components -b -H "
        "--owner --group --mode --newer -N -g --rsh-command"
    ),
    "zip": names("-P --password -x -i -b -n -t -tt --exclude"),
    "unzip": names("-d -P -x"),
    "head": names("-n -c --lines --bytes"),
    "tail": names("-n -c --lines --bytes --pid -s"),
    "cut": names("-d -f -c -b --delimiter --fields"),
    "sort": names("-k -t -o -S -T --key"),
    "base64": names("-w --wrap -b -i -o"),
    "xxd": names("-c -g -l -s -o -n -seek"),
    "od": names("-A -t -N -j -w"),
    "hexdump": names("-n -s -e -f"),
    "fold": names("-w"),
    "grep": names(
        "-e -f -A -B -C -m --regexp --file --include --exclude --exclude-dir --color -g -t -T "
        "--glob --type --max-count -d -D"
    ),
    "sed": names("-e -f --expression --file -l"),
    "awk": names("-F -v -f --assign --field-separator"),
    "jq": names("-f --from-file -L --indent --tab"),
    "yq": names("-o -p -I --output-format --input-format"),
    "uniq": names("-f -s -w"),
    "nl": names("-b -w -s"),
    "tee": frozenset(),
    "strings": names("-n -t -e"),
    "pv": names("-L -s -N"),
    "less": names("-p"),
    "paste": names("-d"),
    "column": names("-t -s -o -n -c -N"),
    "split": names("-b -l -n -a -C"),
    "xargs": names(
        "-I -i -n -L -P -d -E -s -a --max-args --max-procs --delimiter --arg-file --replace"
    ),
    "sudo": names("-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D -R"),
    "doas": names("-u -C"),
    "env": names("-u --unset -C --chdir -S --split-string"),
    "timeout": names("-s --signal -k --kill-after"),
    "nice": names("-n --adjustment"),
    "ionice": names("-c -n -p"),
    "watch": names("-n --interval"),
    "stdbuf": names("-i -o -e"),
    "exec": names("-a"),
    "time": names("-f -o --format --output"),
    "su": names("-c -s -g -l --command --shell"),
    "runuser": names("-u -g -s -c -l --user"),
    "chroot": names("--userspec --groups"),
    "flock": names("-w -E -c"),
    "parallel": names("-j --jobs -I -a --arg-file -S --colsep --delay --joblog --results --tmpdir"),
    "unshare": names("-S -G -R -w"),
    "nsenter": names("-t --target -S -G -r -w"),
    "strace": names("-e -o -p -s -u"),
    "script": names("-c --command -T -t -O -I -o"),
    "setpriv": names("--reuid --regid --groups"),
    "taskset": frozenset(),
    "python": names("-c -m -W -X --check-hash-based-pycs"),
    "node": names(
        "-e --eval -p --print -r --require --import --loader --experimental-loader -C "
        "--input-type --env-file"
    ),
    "perl": names("-e -E -I -M -m -F -0 -i -l"),
    "ruby": names("-e -I -r -C -F"),
    "php": names("-r -f -d -c -B -R -E -S -t"),
    "lua": names("-e -l"),
    "osascript": names("-e -l -s"),
    "powershell": frozenset(),
    "shell": names("-o -O --rcfile --init-file"),
    "Rscript": names("-e"),
    "julia": names("-e -E"),
    "deno": names("-c --config"),
    "rm": frozenset(),
    "chmod": names("--reference"),
    "chown": names("--from --reference"),
    "cp": names("-t --target-directory -S"),
    "mv": names("-t --target-directory -S"),
    "ln": names("-t --target-directory -S"),
    "install": names("-m --mode -o --owner -g --group -t --target-directory -S"),
    "truncate": names("-s --size -r --reference"),
    "shred": names("-n --iterations -s --size"),
    "git": names("-C -c --git-dir --work-tree --exec-path --namespace"),
    "docker": names("-H --host -c --context --config -l"),
    "crontab": names("-u -s"),
    "at": names("-f -q -t"),
    "mktemp": names("-p --tmpdir -t --suffix"),
    "read": names("-p -n -t -d -u -a -i -N -k"),
    "printf": names("-v"),
    "date": names("-d -r -f"),
    "xclip": names("-selection -sel -t -target -d -display -o_"),
    "xsel": names("-t"),
    "ps": frozenset(),
    "ffmpeg": frozenset(),
    "git-clone": names(
        "-b --branch --depth -o --origin -u --reference -c --config -j --jobs --filter "
        "--separate-git-dir --template --shallow-since --server-option"
    ),
    "cd": frozenset(),
    "gh": names(
        "-d --desc -f --filename -R --repo -H --header -X --method -F --field --raw-field --input "
        "-q"
    ),
    "cloud": names(
        "--profile --region --endpoint-url --acl --storage-class --exclude --include "
        "--account-name --account-key --sas-token --container-name -c --connection-string -n "
        "--name -f --file --body --bucket --key --config --transfers --content-type -s --source "
        "-d"
    ),
}
"""Options that take a value, by command or family."""

FAMILY: Final = {
    **dict.fromkeys(names("ncat netcat nc.openbsd nc.traditional"), "nc"),
    **dict.fromkeys(names("http https xh"), "httpie"),
    **dict.fromkeys(names("gtar bsdtar"), "tar"),
    **dict.fromkeys(names("egrep fgrep zgrep rg ag"), "grep"),
    **dict.fromkeys(names("gawk mawk nawk"), "awk"),
    **dict.fromkeys(names("gsed"), "sed"),
    **dict.fromkeys(names("gbase64 base32 basenc"), "base64"),
    **dict.fromkeys(names("mutt mailx swaks sendmail msmtp sendemail s-nail"), "mail"),
    **dict.fromkeys(names("nslookup host drill"), "dig"),
    **dict.fromkeys(names("ping6 hping3"), "ping"),
    **dict.fromkeys(names("gtimeout"), "timeout"),
    **dict.fromkeys(names("ghead"), "head"),
    **dict.fromkeys(names("zcat tac rev"), "cat"),
    **dict.fromkeys(names("gpg2"), "gpg"),
    **dict.fromkeys(names("more bat"), "less"),
    **dict.fromkeys(names("lftp tftp"), "ftp"),
    **dict.fromkeys(names("chgrp"), "chown"),
    **dict.fromkeys(names("aws gsutil gcloud az rclone s3cmd mc"), "cloud"),
    **dict.fromkeys(names("podman nerdctl kubectl"), "docker"),
    **dict.fromkeys(names("batch"), "at"),
}
"""Commands that take the options of another."""
