extension HelpTopics {
    package static let shellKeys = HelpPage(
        name: "shell-keys", section: .overviews, summary: "choose a session with a key of your shell",
        blocks: [
            .paragraph(
                """
                These lines make Ctrl-X Y open the list of yett pick and insert the name of the chosen session at the cursor. Ctrl-Y
                copies the session's token instead until you press a key, for at most 45 seconds, and Ctrl-E inserts a line that exports
                one. Esc changes nothing.
                """),
            .heading("bash"),
            .paragraph("In ~/.bashrc:"),
            .code([
                "yett_insert() {", "    local name; name=$(yett pick --print 2>/dev/null) || return",
                "    READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$name${READLINE_LINE:READLINE_POINT}",
                "    READLINE_POINT=$((READLINE_POINT + ${#name}))", "}", "bind -x '\"\\C-xy\": yett_insert'",
            ]),
            .heading("zsh"),
            .paragraph("In ~/.zshrc:"),
            .code([
                "yett-insert() { LBUFFER+=$(yett pick --print 2>/dev/null); zle reset-prompt }", "zle -N yett-insert",
                "bindkey '^Xy' yett-insert",
            ]),
            .heading("fish"),
            .paragraph("In ~/.config/fish/config.fish:"),
            .code([
                "function yett_insert", "    commandline -i -- (yett pick --print 2>/dev/null)", "    commandline -f repaint", "end",
                "bind \\cxy yett_insert",
            ]),
        ],
        examples: ["yett pick --print": "Prints the name of the chosen session."])
}
