extension HelpTopics {
    package static let prompt = HelpPage(
        name: "prompt", section: .overviews, summary: "your sessions in the shell prompt, starship and tmux",
        blocks: [
            .paragraph(
                """
                yett status --prompt prints one short line and uses no network. It names the session that needs you: ▲1 work 5m means that one
                session cannot renew itself and ends in five minutes; ▲1 work ended means that you must sign in again. If nothing needs you, it
                prints the time left of the only session (work 42m), or the number of sessions (8 ok). Without sessions it prints nothing. If the
                agent runs, this takes about a millisecond.
                """),
            .heading("bash"),
            .code(["PS1='$(yett status --prompt) '\"$PS1\""]),
            .heading("zsh"),
            .code(["setopt prompt_subst", "RPROMPT='$(yett status --prompt)'"]),
            .heading("fish"),
            .code(["function fish_right_prompt", "    yett status --prompt", "end"]),
            .heading("starship"),
            .paragraph("In ~/.config/starship.toml:"),
            .code(["[custom.yett]", "command = \"yett status --prompt\"", "when = true"]),
            .heading("tmux"),
            .code(["set -g status-right '#(yett status --prompt)'"]),
        ],
        examples: [
            "yett status --prompt": "Prints the line for all sessions.",
            "yett status work --prompt": "Prints the line for one session.",
        ])
}
