package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// completionCmd prints a script that makes a shell complete the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints it, made of the commands and flags that there are.
func (c *completionCmd) Run(ctx *kong.Context, con cli.Console) error {
	list := offers(ctx.Model.Node, "")
	switch c.Shell {
	case "bash":
		writeBash(con.Out, list)
	case "zsh":
		writeZsh(con.Out, list)
	default:
		writeFish(con.Out, list)
	}
	return nil
}

// offer is what can follow a command.
type offer struct {
	path     string // "job list", "" is the program alone
	commands []string
	flags    []string
	options  []option
}

// option is a flag and what can follow it.
type option struct {
	flags []string // "--output", "-o"
	value bool     // something follows
	words []string // that is one of these; none where it can be anything, such as a file
}

// offers walks through the commands.
func offers(n *kong.Node, path string) []offer {
	o := offer{path: path}
	for _, flags := range n.AllFlags(true) {
		for _, f := range flags {
			o.flags = append(o.flags, "--"+f.Name)
			opt := option{flags: []string{"--" + f.Name}, value: !f.IsBool(), words: enumOf(f)}
			if f.Short != 0 {
				opt.flags = append(opt.flags, "-"+string(f.Short))
			}
			o.options = append(o.options, opt)
		}
	}
	var below []offer
	for _, child := range n.Children {
		if child.Type != kong.CommandNode || child.Hidden {
			continue
		}
		o.commands = append(o.commands, child.Name)
		below = append(below, offers(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	for _, arg := range n.Positional {
		if len(arg.Enum) > 0 {
			o.commands = append(o.commands, strings.Split(arg.Enum, ",")...)
		}
	}
	return append([]offer{o}, below...)
}

// enumOf lists the values of a flag that has few.
func enumOf(f *kong.Flag) []string {
	var words []string
	for word := range strings.SplitSeq(f.Enum, ",") {
		if word != "" {
			words = append(words, word)
		}
	}
	return words
}

// valueCases writes what can follow each flag of each command, as a case of
// "path flag".
func valueCases(w io.Writer, list []offer, line func(words string) string) {
	for _, o := range list {
		for _, opt := range o.options {
			if !opt.value {
				continue
			}
			patterns := make([]string, len(opt.flags))
			for i, flag := range opt.flags {
				patterns[i] = fmt.Sprintf("%q", spaced(o.path)+" "+flag)
			}
			fmt.Fprintf(w, "    %s) %s ;;\n", strings.Join(patterns, "|"), line(strings.Join(opt.words, " ")))
		}
	}
}

// pathCase is the condition that a word goes on a command.
func pathCase(list []offer) string {
	var paths []string
	for _, o := range list {
		if o.path != "" {
			paths = append(paths, `" `+o.path+`"`)
		}
	}
	return strings.Join(paths, "|")
}

func (o *offer) words() string { return strings.Join(append(o.commands, o.flags...), " ") }

func writeBash(w io.Writer, list []offer) {
	fmt.Fprint(w, `# bash completion of xxl-job-admin: source <(xxl-job-admin completion bash)
_xxl_job_admin() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" words="" i
    if [[ $cur == "=" ]]; then # bash makes three words of --sort=name
        cur=""
    elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
`)
	fmt.Fprintf(w, "        %s) path=\"$path ${COMP_WORDS[i]}\" ;;\n", pathCase(list))
	fmt.Fprint(w, "        esac\n    done\n    case \"$path\" in\n")
	for _, o := range list {
		fmt.Fprintf(w, "    %q) words=%q ;;\n", spaced(o.path), o.words())
	}
	fmt.Fprint(w, `    esac
    case "$path $prev" in
`)
	valueCases(w, list, func(words string) string { return fmt.Sprintf("words=%q", words) })
	fmt.Fprint(w, `    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o default -F _xxl_job_admin xxl-job-admin
`)
}

func spaced(path string) string {
	if path == "" {
		return ""
	}
	return " " + path
}

func writeZsh(w io.Writer, list []offer) {
	fmt.Fprint(w, `#compdef xxl-job-admin
# zsh completion of xxl-job-admin: source <(xxl-job-admin completion zsh)
_xxl_job_admin() {
    local path_="" i
    for ((i = 2; i < CURRENT; i++)); do
        case "$path_ ${words[i]}" in
`)
	fmt.Fprintf(w, "        %s) path_=\"$path_ ${words[i]}\" ;;\n", pathCase(list))
	fmt.Fprint(w, "        esac\n    done\n    case \"$path_ ${words[CURRENT-1]}\" in\n")
	valueCases(w, list, func(words string) string {
		if words == "" {
			return "_files; return"
		}
		return "compadd -- " + words + "; return"
	})
	fmt.Fprint(w, "    esac\n    case \"$path_\" in\n")
	for _, o := range list {
		fmt.Fprintf(w, "    %q) compadd -- %s ;;\n", spaced(o.path), o.words())
	}
	fmt.Fprint(w, `    esac
    _files
}
compdef _xxl_job_admin xxl-job-admin
`)
}

func writeFish(w io.Writer, list []offer) {
	fmt.Fprint(w, `# fish completion of xxl-job-admin: xxl-job-admin completion fish | source
function __xxl_job_admin_path
    set -l path ""
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
`)
	fmt.Fprintf(w, "            case %s\n                set path \"$path $word\"\n",
		strings.ReplaceAll(pathCase(list), "|", " "))
	fmt.Fprint(w, "        end\n    end\n    test \"$path\" = \"$argv[1]\"\nend\n")
	for _, o := range list {
		at := fmt.Sprintf("complete -c xxl-job-admin -n '__xxl_job_admin_path %q'", spaced(o.path))
		if len(o.commands) > 0 {
			fmt.Fprintf(w, "%s -f -a %q\n", at, strings.Join(o.commands, " "))
		}
		for _, opt := range o.options {
			line := at + " -l " + strings.TrimPrefix(opt.flags[0], "--")
			if len(opt.flags) > 1 {
				line += " -s " + strings.TrimPrefix(opt.flags[1], "-")
			}
			if opt.value {
				line += " -r"
			}
			if len(opt.words) > 0 {
				line += fmt.Sprintf(" -f -a %q", strings.Join(opt.words, " "))
			}
			fmt.Fprintln(w, line)
		}
	}
}
