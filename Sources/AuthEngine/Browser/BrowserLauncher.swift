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
        let userEnvironment = SignInEnvironment(environment: environment)
        var commands = named
        if isPrivate, userEnvironment.hasDisplay { commands += BrowserCommand.knownBrowsers.map { BrowserCommand(words: [$0]) } }
        if userEnvironment.isWSL { commands.append(BrowserCommand(words: ["wslview"])) }
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
        if command.name == "xdg-open", !SignInEnvironment(environment: environment).hasDisplay, named.isEmpty {
            variables["BROWSER"] = "false"
        }
        return variables
    }
}
