/// One block of a PEM file (RFC 7468).
public struct PEMBlock {
    /// The text after BEGIN: `PRIVATE KEY`.
    let label: String
    let contents: [UInt8]
    /// Whether the block is encrypted with a passphrase, as PKCS #8 or in the older format.
    public let isEncrypted: Bool

    /// Returns the first complete block of `file` with a private key; `nil` if there is none.
    public static func privateKey(in file: [UInt8]) -> PEMBlock? {
        guard file.count <= 1 << 16 else { return nil }
        // Other tools may write text in any encoding between the blocks.
        let text = String(decoding: file, as: UTF8.self)
        var label: String?
        var lines: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingWhitespace()
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("PRIVATE KEY-----") {
                label = String(line.dropFirst("-----BEGIN ".count).dropLast("-----".count))
                lines = []
            } else if let label {
                if line == "-----END \(label)-----" { return PEMBlock(label: label, lines: lines) }
                lines.append(Substring(line))
            }
        }
        return nil
    }

    private init?(label: String, lines: [Substring]) {
        self.label = label
        // Headers inside a block belong to the older encryption format (RFC 1421 section 4.6).
        isEncrypted = label.hasPrefix("ENCRYPTED") || lines.contains { $0.contains(":") }
        guard let contents = isEncrypted ? [] : Base64.decode(lines.joined()) else { return nil }
        self.contents = contents
    }
}
