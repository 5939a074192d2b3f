import ArgumentParser
import AuthModel
import Dispatch
import Glibc
import OperatingSystem
import Sandbox
import SandboxCommandLine

/// `yett-sandbox`: test providers on loopback, for `yett sandbox`, `yett demo` and the tests.
struct SandboxProgram: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "yett-sandbox", abstract: SandboxOptions.abstract, discussion: SandboxOptions.discussion)

    @OptionGroup var options: SandboxOptions

    /// Runs the command line of this process and ends it with the exit status: 0, 2 if a port is taken, 64 for a wrong command line.
    static func main() -> Never {
        // A reader that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let program: SandboxProgram
        do {
            program = try parse()
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }
            fail(message(for: error), hint: nil, status: exitCode(for: error).rawValue)
        }
        let work = Task {
            do {
                try await program.run()
                exit(withError: nil)
            } catch  where Task.isCancelled {
                // Asked to end while it started.
                exit(withError: nil)
            } catch let failure as AuthFailure {
                fail(
                    failure.message.description, hint: failure.hint?.description,
                    status: failure.kind == .usage ? ExitCode.validationFailure.rawValue : 2)
            } catch {
                fail("\(error)", hint: nil, status: 1)
            }
        }
        Task {
            for await interruption in SignalPipe.interruptions() {
                // The first signal stops the providers; the second ends the process at once.
                if work.isCancelled { Glibc.exit(interruption.exitCode) }
                work.cancel()
            }
        }
        if program.options.untilInputEnds { cancelAtEndOfInput(work) }
        dispatchMain()
    }

    private static func fail(_ message: String, hint: String?, status: Int32) -> Never {
        // The program is usually started as `yett sandbox`, and its messages look the same.
        let text = "yett: error: \(message)\n" + (hint.map { "yett: hint: \($0)\n" } ?? "")
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        Glibc.exit(status)
    }

    /// Ends with the program that started this one, however that one ends.
    private static func cancelAtEndOfInput(_ work: Task<Void, Never>) {
        DetachedThread.startOrRun {
            var byte: UInt8 = 0
            var count = read(STDIN_FILENO, &byte, 1)
            while count > 0 || count < 0 && errno == EINTR { count = read(STDIN_FILENO, &byte, 1) }
            work.cancel()
        }
    }

    private func run() async throws {
        if options.listFaults {
            return try Output.lines(Table("FAULT", "EFFECT", Fault.allCases.map { ($0.name, $0.summary) }).lines)
        }
        if options.listSettings || options.listKnobs { return try Output.lines(Table("SETTING", "EFFECT", Self.settings).lines) }
        if options.listVendors { return try Output.lines(VendorPages.lines) }
        let providers = try await RunningProviders.start(options)
        do {
            let notice = ProvidersNotice(running: providers)
            try Output.lines(options.json ? [notice.json.text] : notice.lines)
        } catch {
            await providers.stop()
            throw error
        }
        if !options.json { describeUsers() }
        await providers.runUntilCancelled()
    }

    private static var settings: [(String, String)] {
        Vendor.allCases.flatMap { vendor in vendor.sandboxSettings.map { ("\(vendor.rawValue).\($0.name)", $0.summary) } }
    }

    private func describeUsers() {
        Output.note("")
        Output.note("users who can sign in (name, password):")
        for user in SandboxUser.standard { Output.note("  \(user.username), \(user.password)") }
        Output.note("Ctrl-C stops the providers")
    }
}
