package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints a script that makes a shell complete the command line.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints it, made of the commands and flags that there are.
func (c *completionCmd) Run(ctx *kong.Context, con console) error {
	list := offers(ctx.Model.Node, "")
	switch c.Shell {
	case "bash":
		writeBash(con.out, list)
	case "zsh":
		writeZsh(con.out, list)
	default:
		writeFish(con.out, list)
	}
	return nil
}

// offer is what can follow a command.
type offer struct {
	path     string // "job list", "" is the program alone
	commands []string
	flags    []string
}

// offers walks through the commands.
func offers(n *kong.Node, path string) []offer {
	o := offer{path: path}
	for _, flags := range n.AllFlags(true) {
		for _, f := range flags {
			o.flags = append(o.flags, "--"+f.Name)
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
    local cur=${COMP_WORDS[COMP_CWORD]} path="" words="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path ${COMP_WORDS[i]}" in
`)
	fmt.Fprintf(w, "        %s) path=\"$path ${COMP_WORDS[i]}\" ;;\n", pathCase(list))
	fmt.Fprint(w, "        esac\n    done\n    case \"$path\" in\n")
	for _, o := range list {
		fmt.Fprintf(w, "    %q) words=%q ;;\n", spaced(o.path), o.words())
	}
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
	fmt.Fprint(w, "        esac\n    done\n    case \"$path_\" in\n")
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
		fmt.Fprintf(w, "complete -c xxl-job-admin -n '__xxl_job_admin_path %q' -a %q\n", spaced(o.path), o.words())
	}
}
