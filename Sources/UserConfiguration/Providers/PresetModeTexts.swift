internal import AuthModel
internal import TOML

/// The text of each `[[modes]]` table of a preset, as a text of its own: `[modes.provider]` is written as `[provider]`, and all lines of
/// other tables are blank. So a mode is read like a preset, and errors name the line in the file.
struct PresetModeTexts {
    let texts: [String]

    init(_ text: String, file: String) throws(AuthFailure) {
        let document: TOMLDocument
        do throws(TOMLError) {
            document = try TOMLDocument(text)
        } catch {
            throw AuthFailure(error, in: file)
        }
        let bytes = Array(text.utf8)
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let headers = document.entries.filter { $0.place == .header }
        let starts = headers.map { document.position(of: $0).line - 1 }
        var modes: [[ArraySlice<UInt8>]] = []
        for (index, header) in headers.enumerated() where header.path.first == "modes" {
            let isMode = header.path.count == 1
            if isMode { modes.append(Array(repeating: [], count: lines.count)) }
            guard let last = modes.indices.last else { continue }
            let body = starts[index] + 1..<(index + 1 < starts.count ? starts[index + 1] : lines.count)
            modes[last].replaceSubrange(body, with: lines[body])
            if !isMode { modes[last][starts[index]] = Self.header(header, in: bytes)[...] }
        }
        texts = modes.map { String(decoding: Array($0.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self) }
    }

    /// Returns the header of a table of a mode, without `modes`.
    private static func header(_ entry: TOMLDocument.Entry, in bytes: [UInt8]) -> [UInt8] {
        let path = entry.path.dropFirst().map(TOMLText.key).joined(separator: ".")
        let isArray = bytes[entry.range].starts(with: [UInt8](repeating: UInt8(ascii: "["), count: 2))
        return Array((isArray ? "[[\(path)]]" : "[\(path)]").utf8)
    }
}
