import AuthModel

/// A command that opens a URL, as words; no shell ever reads it.
struct BrowserCommand: Equatable, Sendable {
    /// The program and its arguments, with `%s` where the URL goes.
    var words: [String]

    init(words: [String]) {
        self.words = words
    }

    /// Splits a command at blanks; `'…'` and `"…"` hold words together. `nil` when there is no word in it or a quote is left open.
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

    /// `$BROWSER`: commands with colons between, in the order of preference.
    static func list(_ variable: String) -> [BrowserCommand] {
        variable.split(separator: ":").compactMap { BrowserCommand($0) }
    }

    /// The program's name without its folder.
    var name: String {
        let program = words.first ?? ""
        return program.split(separator: "/").last.map(String.init) ?? program
    }

    /// Words by which a person says that there is no browser: the URL is only shown.
    var meansNone: Bool { ["none", "false", "echo"].contains(name) }

    /// The argument vector for `url`, which is one argument or a part of one, byte for byte but for what ``quiet(_:)`` escapes.
    func arguments(_ url: WebURL, isPrivate: Bool) -> [String] {
        let address = Self.quiet(url)
        var replaced = false
        var arguments = words.enumerated().map { index, word in
            guard index > 0, word.contains("%") else { return word }
            // What `%s` became is not looked at again: a URL is full of percent signs.
            let parts = word.split(separator: "%s", omittingEmptySubsequences: false)
            replaced = replaced || parts.count > 1
            return parts.map { $0.replacing("%%", with: "%") }.joined(separator: address)
        }
        if !replaced { arguments.append(address) }
        if isPrivate, let option = privateOption, !arguments.contains(option) { arguments.insert(option, at: 1) }
        return arguments
    }

    /// The URL with every character escaped that a shell would act on and that no URL needs. Our own arguments reach no shell, but an
    /// opener may write its argument into a command of another one: `wslview` hands it to PowerShell between double quotes (CVE-2025-6514
    /// was such a case).
    private static func quiet(_ url: WebURL) -> String {
        let address = url.text
        // Brackets of an IPv6 literal stay as they are.
        let rest = address.firstRange(of: "://").flatMap { address[$0.upperBound...].firstIndex { "/?#".contains($0) } } ?? address.endIndex
        return address[..<rest]
            + address[rest...].utf8.map { byte in
                "$'()!*;[]".utf8.contains(byte) ? "%" + String(byte, radix: 16, uppercase: true) : String(UnicodeScalar(byte))
            }.joined()
    }

    /// The option that opens a private window; `nil` for a program we do not know.
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

    /// Browsers to look for when a private window is wanted, for `xdg-open` cannot be told to open one.
    static let knownBrowsers = [
        "firefox", "firefox-esr", "chromium", "chromium-browser", "google-chrome", "brave-browser", "microsoft-edge", "vivaldi", "opera",
        "epiphany",
    ]
}
