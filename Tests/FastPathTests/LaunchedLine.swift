import Glibc

@testable import FastPath

/// A command line and an environment for the launcher, as C strings.
struct LaunchedLine {
    private let arguments: [String]
    private let environment: [String: String]

    init(_ arguments: [String], _ environment: [String: String]) {
        self.arguments = arguments
        self.environment = environment
    }

    func use<Value>(_ body: (CommandLineArguments, LauncherEnvironment) throws -> Value) rethrows -> Value {
        var words = arguments.map { strdup($0) } + [nil]
        let variables = environment.mapValues { strdup($0) }
        defer { for text in words + Array(variables.values) { free(text) } }
        func value(_ name: String) -> UnsafePointer<CChar>? { variables[name].flatMap { $0.map { UnsafePointer($0) } } }
        let seen = LauncherEnvironment(
            runtimeFolder: value("XDG_RUNTIME_DIR"), home: value("HOME"), dataFolder: value("XDG_DATA_HOME"),
            configurationFolder: value("XDG_CONFIG_HOME"), configuration: value("YETT_CONFIG"), disablesAgent: value("YETT_NO_AGENT"),
            log: value("YETT_LOG"))
        return try words.withUnsafeMutableBufferPointer { words in
            guard let base = words.baseAddress else { preconditionFailure("there is at least the null at the end") }
            return try body(CommandLineArguments(count: Int32(arguments.count), arguments: base), seen)
        }
    }
}

extension LauncherRequest {
    /// The request as text; empty if it cannot be written.
    func text(bufferSize: Int = 16_384) -> String {
        withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 16) { buffer in
            String(decoding: UnsafeRawBufferPointer(buffer).prefix(write(request: buffer)), as: UTF8.self)
        }
    }
}
