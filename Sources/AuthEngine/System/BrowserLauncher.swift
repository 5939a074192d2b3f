public import AuthModel
import OperatingSystem

/// Opens a page in the user's browser.
///
/// The command is the provider's own; otherwise each command of `$BROWSER`, then `wslview` under WSL, then `xdg-open`. It is started as an
/// argument vector in a session of its own, without a terminal or output. The launcher only notices a quick failure and then tries the next
/// command; it does not wait for the browser to exit. `BROWSER=none`, `false` and `echo` disable the browser: nothing is started and the
/// user copies the URL.
public struct BrowserLauncher: Sendable {
    private let environment: [String: String]
    private let time: any TimeSource
    private let watch: Duration

    /// Creates a launcher.
    ///
    /// - Parameters:
    ///   - environment: passed to the browser, without Yett's own secrets. `BROWSER` and `PATH` are read from it.
    ///   - time: the clock that measures `watch`.
    ///   - watch: how long an exit of the command counts as "did not start".
    public init(environment: [String: String], time: any TimeSource, watch: Duration = .seconds(2)) {
        self.environment = environment
        self.time = time
        self.watch = watch
    }

    /// Opens `url` with the first command that does not fail at once.
    ///
    /// - Parameters:
    ///   - command: the provider's `browser`. No other command is tried then, because it was chosen for its profile or account.
    ///   - isPrivate: whether to ask for a private window.
    public func open(_ url: WebURL, command: String? = nil, isPrivate: Bool = false) async -> BrowserLaunch {
        let candidates: [BrowserCommand]
        if let command {
            guard let words = BrowserCommand(command) else { return .failed(reason: "browser.command_invalid") }
            candidates = [words]
        } else {
            candidates = defaults(isPrivate: isPrivate)
        }
        var (failures, missing): ([UserMessage], [String]) = ([], [])
        for candidate in candidates {
            if candidate.disablesBrowser { return .none(reason: UserMessage("browser.turned_off", ["name": candidate.name])) }
            switch await start(candidate, url, isPrivate: isPrivate) {
            case .running:
                let privacy: BrowserLaunch.Privacy = !isPrivate ? .notAsked : candidate.privateOption == nil ? .unknown : .requested
                return .started(command: candidate.name, privacy: privacy, missing: missing)
            case .failed(let reason):
                failures.append(UserMessage("browser.named_failed", ["name": candidate.name, "reason": reason]))
            case .missing:
                // The default openers may be missing on a machine without a desktop. That is not a failure.
                guard command != nil || named.contains(candidate) else { continue }
                failures.append(UserMessage("browser.named_not_found", ["name": candidate.name]))
                missing.append(candidate.name)
            }
            if Task.isCancelled { break }
        }
        return failures.isEmpty ? .none(reason: "browser.none_found") : .failed(reason: .list(failures, by: .comma))
    }

    /// The commands of `$BROWSER`.
    private var named: [BrowserCommand] { BrowserCommand.list(environment["BROWSER"] ?? "") }

    private func defaults(isPrivate: Bool) -> [BrowserCommand] {
        let surroundings = Surroundings(environment: environment)
        var commands = named
        if isPrivate, surroundings.hasDisplay { commands += BrowserCommand.knownBrowsers.map { BrowserCommand(words: [$0]) } }
        if surroundings.isWSL { commands.append(BrowserCommand(words: ["wslview"])) }
        commands.append(BrowserCommand(words: ["xdg-open"]))
        return commands
    }

    private enum Start {
        case running
        case failed(UserMessage)
        case missing
    }

    private func start(_ command: BrowserCommand, _ url: WebURL, isPrivate: Bool) async -> Start {
        guard let name = command.words.first, ChildProcess.find(name, in: environment["PATH"]) != nil else { return .missing }
        let arguments = command.arguments(url, isPrivate: isPrivate)
        guard let child = try? ChildProcess.start(name, Array(arguments.dropFirst()), environment: variables(for: command)) else {
            return .failed(UserMessage("browser.not_started"))
        }
        let deadline = time.bootTime + watch
        let status = await withTaskGroup(of: Int32?.self) { group in
            group.addTask { [time] in
                try? await time.sleep(until: deadline)
                return nil
            }
            group.addTask { await child.exitStatus() }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let status, status != 0 else { return .running }
        return status == 126 || status == 127
            ? .failed(UserMessage("browser.not_found_or_not_runnable")) : .failed(UserMessage("browser.ended_at_once", ["status": status]))
    }

    private func variables(for command: BrowserCommand) -> [String: String] {
        var variables = environment
        variables["YETT_PASSPHRASE_FILE"] = nil
        // Without a display, xdg-open falls back to text browsers, which would fetch the page unseen. xdg-open uses BROWSER, and with a
        // BROWSER that fails it reports that there is no browser.
        if command.name == "xdg-open", !Surroundings(environment: environment).hasDisplay, named.isEmpty {
            variables["BROWSER"] = "false"
        }
        return variables
    }
}

/// The result of opening a browser.
public enum BrowserLaunch: Equatable, Sendable {
    /// The privacy of the window that was opened.
    public enum Privacy: Equatable, Sendable {
        /// A private window was not requested.
        case notAsked
        /// The browser was told to open a private window.
        case requested
        /// A private window was requested, but the option of this program is not known.
        case unknown
    }

    /// A command was started and did not fail at once. This does not prove that the user sees the page. `missing` lists the commands of
    /// `$BROWSER` that were tried first and not found.
    case started(command: String, privacy: Privacy, missing: [String] = [])
    /// Every command failed; `reason` names each.
    case failed(reason: UserMessage)
    /// No command was found, or the browser is disabled; `reason` says which.
    case none(reason: UserMessage)
}

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
