/// The arguments of ssh(1), divided into its options, the host, and the command to run there.
struct SSHArguments: Equatable {
    let options: [String]
    /// The destination as it was typed: a name, `user@host`, or an `ssh://` address.
    let host: String
    let command: [String]

    /// The options with a value, which is the rest of the word or the next word.
    private static let withValue: Set<Character> = Set("BbcDEeFIiJLlmOopPQRSWw")

    /// Divides the arguments; `nil` if they name no host.
    init?(_ arguments: [String]) {
        var options: [String] = []
        var rest = arguments[...]
        while let word = rest.first, word.hasPrefix("-"), word != "-" {
            options.append(rest.removeFirst())
            if word == "--" { break }
            guard let place = word.dropFirst().firstIndex(where: Self.withValue.contains) else { continue }
            guard word.index(after: place) == word.endIndex else { continue }
            guard let value = rest.popFirst() else { return nil }
            options.append(value)
        }
        guard let host = rest.popFirst(), !host.isEmpty else { return nil }
        (self.options, self.host, command) = (options, host, Array(rest))
    }

    /// Whether ssh runs no command there (`-N`).
    private var runsNothing: Bool { flags.contains("N") }

    /// The letters of the options without a value.
    private var flags: Set<Character> {
        var flags: Set<Character> = []
        var isValue = false
        for word in options {
            defer { isValue = false }
            if isValue { continue }
            for letter in word.dropFirst() {
                if Self.withValue.contains(letter) {
                    isValue = word.last == letter && word.firstIndex(of: letter) == word.index(before: word.endIndex)
                    break
                }
                flags.insert(letter)
            }
        }
        return flags
    }

    /// Returns the arguments for ssh.
    ///
    /// The command there is run by a POSIX shell, which sets the variable, starts the user's own shell, and removes the socket afterwards,
    /// because sshd leaves it. No server has to permit a variable for it (`AcceptEnv`).
    ///
    /// - Parameters:
    ///   - socket: the restricted socket here.
    ///   - remote: the path of the socket there, which no other user can guess. sshd creates it for the user only.
    ///   - hasTerminal: whether to ask for a terminal there if no command is given, as ssh does by itself.
    func words(forwarding socket: String, to remote: String, hasTerminal: Bool) -> [String] {
        let forwarding = [
            "-o", "ExitOnForwardFailure=yes", "-o", "StreamLocalBindMask=0177", "-o", "ControlMaster=no", "-o", "ControlPath=none",
            "-R", "\(remote):\(socket)",
        ]
        // A master's connection outlives the command, and the forward with it. The first -o counts, but the last -S.
        let end = options.last == "--" ? ["--"] : []
        let options = options.dropLast(end.count) + ["-S", "none"] + end
        guard !runsNothing else { return forwarding + options + [host] + command }
        let terminal = command.isEmpty && hasTerminal && flags.isDisjoint(with: ["T", "t"]) ? ["-t"] : []
        let shell = "\"${SHELL:-sh}\""
        let run = command.isEmpty ? "\(shell) -l" : "\(shell) -c \"$1\""
        // A broken connection ends the shell with SIGHUP.
        let script = "trap 'rm -f \"$YETT_AGENT_SOCK\"' EXIT; trap 'exit 129' HUP TERM; \(run); exit $?"
        let words = ["env", "YETT_AGENT_SOCK=\(remote)", "sh", "-c", script, "sh"]
        let command = command.isEmpty ? words : words + [command.joined(separator: " ")]
        return forwarding + terminal + options + [host, command.map(Self.quoted).joined(separator: " ")]
    }

    /// Quotes a word for a POSIX shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            byte < 0x80
                && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber || "/._-=".utf8.contains(byte))
        }
        guard word.isEmpty || !isPlain else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
