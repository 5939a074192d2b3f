internal import ArgumentParser

/// `yett completions`: prints the completion script for a shell.
struct CompletionsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script of a shell.",
        discussion: """
            bash: yett completions bash > ~/.local/share/bash-completion/completions/yett

            zsh: yett completions zsh > FOLDER/_yett, in a folder of your fpath

            fish: yett completions fish > ~/.config/fish/completions/yett.fish

            Completes the names of your providers, sessions and themes too.
            """)
    static let examples: KeyValuePairs = [
        "yett completions bash > ~/.local/share/bash-completion/completions/yett": "Installs the completions for bash.",
        "yett completions fish > ~/.config/fish/completions/yett.fish": "Installs the completions for fish.",
    ]
    static let handlesInterruptions = false

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run(in context: CommandContext) async throws {
        let script =
            switch shell {
            case .bash: CompletionScripts.bash
            case .zsh: CompletionScripts.zsh
            case .fish: CompletionScripts.fish
            }
        try context.console.page(script)
    }
}

/// The completion scripts. Each passes the line to `yett complete` and its answer to the shell. The shell expands nothing in the answer: it
/// goes through no `eval`, no `compgen -W` and no other command that reads shell code.
enum CompletionScripts {
    /// For bash 4.4 or later. `mapfile` reads the answer; words are already quoted if necessary.
    static let bash = """
        # bash completion for yett

        _yett() {
            local -a answer
            local -i index
            COMPREPLY=()
            mapfile -t answer < <(command yett complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
            case ${answer[0]-} in
            words) COMPREPLY=("${answer[@]:1}") ;;
            files) compopt -o default ;;
            folders) compopt -o dirnames ;;
            command*)
                for ((index = 1; index < COMP_CWORD; index++)); do
                    [[ ${COMP_WORDS[index]} == -- ]] && break
                done
                if ((index + 1 == COMP_CWORD)) && [[ ${COMP_WORDS[COMP_CWORD]} != */* ]]; then
                    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
                elif declare -F _comp_command_offset >/dev/null; then
                    _comp_command_offset $((index + 1))
                elif declare -F _command_offset >/dev/null; then
                    _command_offset $((index + 1))
                else
                    compopt -o default
                fi
                ;;
            esac
        }

        complete -F _yett yett
        """

    /// For zsh 5 or later. `compadd` quotes what it inserts, and treats colons literally.
    static let zsh = """
        #compdef yett

        _yett() {
            local line
            local -a answer found shown
            answer=("${(@f)$(command yett complete zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            case $answer[1] in
            words)
                for line in "${(@)answer[2,-1]}"; do
                    found+=("${line%%$'\\t'*}")
                    line=${line#*$'\\t'}
                    shown+=("${found[-1]}${line:+  -- $line}")
                done
                compadd -l -d shown -a -- found
                ;;
            files | folders)
                [[ -n ${answer[2]-} ]] && compset -P '*='
                if [[ $answer[1] == folders ]]; then _files -/; else _files; fi
                ;;
            command\\ <->)
                words=("${(@)words[${answer[1]#command }+1,-1]}")
                ((CURRENT -= ${answer[1]#command }))
                _normal
                ;;
            esac
        }

        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _yett "$@"
        else
            compdef _yett yett
        fi
        """

    /// For fish 3.4 or later. fish escapes what it inserts.
    static let fish = """
        # fish completion for yett

        function __yett_complete
            set -l current (commandline -ct)
            set -l plain (string unescape -- "$current" 2>/dev/null)
            set -q plain[1]; or set plain "$current"
            set -l answer (command yett complete fish -- (commandline -opc) "$plain" 2>/dev/null)
            switch "$answer[1]"
                case words
                    for word in $answer[2..-1]
                        echo -- $word
                    end
                case files folders
                    set -l path (string replace -- "$answer[2]" '' "$current")
                    if test "$answer[1]" = folders
                        set path (__fish_complete_directories "$path")
                    else
                        set path (__fish_complete_path "$path")
                    end
                    for found in $path
                        echo -- "$answer[2]$found"
                    end
                case 'command *'
                    __fish_complete_subcommand --fcs-skip=(string replace 'command ' '' -- "$answer[1]")
            end
        end

        complete -c yett -f -a '(__yett_complete)'
        """
}
