import AuthModel
import Synchronization

@testable import CommandLineTool

/// Records what a command writes.
final class StreamRecorder: Sendable {
    private struct Content {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var replacement: (arguments: [String], environment: [String: String])?
        var launch: AppLaunch?
    }

    private let content = Mutex(Content())
    /// Receives the text of standard error as it is written.
    private let told: (@Sendable (String) -> Void)?

    init(told: (@Sendable (String) -> Void)?) { self.told = told }

    func write(_ bytes: [UInt8], to output: Streams.Output) {
        content.withLock { content in
            switch output {
            case .answer: content.output += bytes
            case .diagnostics: content.errors += bytes
            }
        }
        if output == .diagnostics { told?(String(decoding: bytes, as: UTF8.self)) }
    }

    func note(replacement arguments: [String], _ environment: [String: String]) {
        content.withLock { $0.replacement = (arguments, environment) }
    }

    func note(_ launch: AppLaunch) { content.withLock { $0.launch = launch } }

    func result(_ status: Int32) -> CommandResult {
        content.withLock { content in
            CommandResult(
                status: status, output: String(decoding: content.output, as: UTF8.self),
                errors: String(decoding: content.errors, as: UTF8.self), replacement: content.replacement, launch: content.launch)
        }
    }
}

/// Types the input of a user.
final class Typist: Sendable {
    private struct Keys {
        var lines: [String]
        var hiddenLines: [String]
    }

    private let keys: Mutex<Keys>
    private let waits: Bool
    private let keyboard: Keyboard?
    /// Lines that arrive later, instead of typed ones.
    private let paste: AsyncStream<String>?

    init(_ user: CommandWorld.User, paste: AsyncStream<String>? = nil) {
        self.paste = paste
        keys = Mutex(Keys(lines: user.lines, hiddenLines: user.hiddenLines))
        waits = user.hasTerminal
        keyboard = user.keyboard
    }

    /// Returns the next line; then nil, or at a terminal waits until it is cancelled.
    func line() async -> String? {
        let next = keys.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() }
        if let next { return next }
        if let keyboard { return await keyboard.line() }
        if let paste { for await line in paste { return line } }
        guard waits else { return nil }
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        return nil
    }

    func hiddenLine() -> Secret? {
        keys.withLock { $0.hiddenLines.isEmpty ? nil : Secret($0.hiddenLines.removeFirst()) }
    }
}
