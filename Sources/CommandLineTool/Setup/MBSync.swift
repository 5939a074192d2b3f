internal import AuthModel

/// The syntax of the settings of a version of mbsync.
struct MBSync: Sendable {
    /// The keyword that is followed by the kind of TLS.
    let keywordForTLS: String

    /// Version 1.5 and later, where `SSLType` is deprecated.
    static let current = MBSync(keywordForTLS: "TLSType")
    /// Earlier versions, such as Debian 12's 1.4, which do not know `TLSType`.
    static let old = MBSync(keywordForTLS: "SSLType")

    /// Returns the installed program; `nil` if there is none.
    static func installed(in environment: SetupEnvironment) async -> MBSync? {
        guard environment.program("mbsync") != nil, let text = try? await environment.output(of: ["mbsync", "--version"]) else {
            return nil
        }
        return MBSync(version: text)
    }

    /// Reads what `mbsync --version` prints: `isync 1.4.4`.
    init(version text: String) {
        let numbers = (text.split(separator: " ").last ?? "").split(separator: ".").map { Int($0.trimmed) ?? 0 }
        self = numbers.starts(with: [1]) && numbers.count > 1 && numbers[1] < 5 ? .old : .current
    }

    private init(keywordForTLS: String) { self.keywordForTLS = keywordForTLS }
}
