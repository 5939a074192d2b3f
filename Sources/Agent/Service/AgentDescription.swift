/// The protocol's OpenAPI document, embedded in the program.
enum AgentDescription {
    static let bytes: [UInt8] = EmbeddedFiles.all.first.map { $0.text.withUTF8Buffer(Array.init) } ?? []
}
