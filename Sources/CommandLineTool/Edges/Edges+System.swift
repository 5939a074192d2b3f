internal import AuthEngine
internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import OperatingSystem

extension Edges {
    /// Returns the edges of this process.
    public static func system() -> Edges {
        let environment = ProcessEnvironment.variables
        let time = SystemTimeSource()
        let browser = BrowserLauncher(environment: environment, time: time)
        let program = ProcessEnvironment.program
        return Edges(
            environment: environment, workingDirectory: ProcessEnvironment.workingDirectory, streams: .system, time: time,
            transport: CurlTransport(version: Program.version, environment: environment),
            openBrowser: { await browser.open($0.url, command: $0.command, isPrivate: $0.isPrivate) },
            interruptions: SignalPipe.interruptions, exitNow: exitNow, replaceProcess: ProcessReplacement.run,
            runApp: { (launch) throws(AuthFailure) in try await AppLaunch.onTerminal(launch) }, agentProgram: program,
            sandboxProgram: ProcessEnvironment.sandboxProgram,
            keyTerminal: KeyTerminal.system, userPresence: { UserPresence.system(environment) },
            login: { arguments, place in
                guard let program else { return nil }
                return await LoginProcess(program: program, environment: environment).run(arguments, at: place)
            },
            terminalBackground: { TerminalBackground.ask(term: $0["TERM"] ?? "", environment: $0) })
    }

    @Sendable private static func exitNow(_ status: Int32) {
        TerminalTyping.restoreTerminal()
        _exit(status)
    }
}
