import AuthModel

/// A command that opens a URL, as words. No shell reads it.
struct BrowserCommand: Equatable, Sendable {
    /// The program and its arguments, with `%s` where the URL goes.
    var words: [String]

    init(words: [String]) {
        self.words = words
    }

    /// Splits a command at spaces and tabs; `'…'` and `"…"` keep words together. `nil` if there is no word or a quote is not closed.
    init?(_ text: some StringProtocol) {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " || character == "\t" {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let done = word { words.append(done) }
        guard quote == nil, let program = words.first, !program.isEmpty, !text.utf8.contains(0) else { return nil }
        self.words = words
    }

    /// Parses `$BROWSER`: commands separated by colons, in order of preference.
    static func list(_ variable: String) -> [BrowserCommand] {
        variable.split(separator: ":").compactMap { BrowserCommand($0) }
    }

    /// The program's name without its folder.
    var name: String {
        let program = words.first ?? ""
        return program.split(separator: "/").last.map(String.init) ?? program
    }

    /// Whether the command name means "no browser": the URL is only shown.
    var disablesBrowser: Bool { ["none", "false", "echo"].contains(name) }

    /// Returns the argument vector for `url`. The URL is one argument or part of one, unchanged except for what ``shellSafe(_:)`` escapes.
    func arguments(_ url: WebURL, isPrivate: Bool) -> [String] {
        let address = Self.shellSafe(url)
        var replaced = false
        var arguments = words.enumerated().map { index, word in
            guard index > 0, word.contains("%") else { return word }
            // Do not expand the replaced `%s` again: a URL contains many percent signs.
            let parts = word.split(separator: "%s", omittingEmptySubsequences: false)
            replaced = replaced || parts.count > 1
            return parts.map { $0.replacing("%%", with: "%") }.joined(separator: address)
        }
        if !replaced { arguments.append(address) }
        if isPrivate, let option = privateOption, !arguments.contains(option) { arguments.insert(option, at: 1) }
        return arguments
    }

    /// Returns the URL with every character escaped that a shell would interpret and no URL needs. Our own arguments reach no shell, but an
    /// opener may insert its argument into a command of another shell: `wslview` passes it to PowerShell in double quotes (CVE-2025-6514
    /// was such a case).
    private static func shellSafe(_ url: WebURL) -> String {
        let address = url.text
        // Keep the brackets of an IPv6 literal.
        let rest = address.firstRange(of: "://").flatMap { address[$0.upperBound...].firstIndex { "/?#".contains($0) } } ?? address.endIndex
        return address[..<rest]
            + address[rest...].utf8.map { byte in
                "$'()!*;[]".utf8.contains(byte) ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
            }.joined()
    }

    /// The option that opens a private window; `nil` for an unknown program.
    var privateOption: String? {
        switch name {
        case "firefox", "firefox-esr", "librewolf", "waterfox": "--private-window"
        case "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "brave", "brave-browser", "vivaldi", "vivaldi-stable":
            "--incognito"
        case "microsoft-edge", "microsoft-edge-stable": "--inprivate"
        case "opera": "--private"
        case "epiphany", "epiphany-browser": "--incognito-mode"
        default: nil
        }
    }

    /// Browsers to look for when a private window is wanted, because `xdg-open` cannot open one.
    static let knownBrowsers = [
        "firefox", "firefox-esr", "chromium", "chromium-browser", "google-chrome", "brave-browser", "microsoft-edge", "vivaldi", "opera",
        "epiphany",
    ]
}
