/// A parser of untrusted bytes, with the properties that it must keep for each input.
public struct FuzzedReader: Sendable {
    /// The name, which is also the name of its corpus folder.
    public let name: String
    /// Words of the grammar, for the mutator.
    let words: [[UInt8]]
    /// Inputs that are computed instead of stored, because they contain a signature or a state.
    let seeds: [[UInt8]]
    /// The maximum length in bytes; longer inputs are truncated.
    let maximumLength: Int
    /// Whether an input takes milliseconds, so that short runs use fewer inputs.
    public let isSlow: Bool
    /// Changes an input with knowledge of its format; `nil` if changing bytes is enough.
    let reshape: (@Sendable ([UInt8], Mutator, inout SeededGenerator) -> [UInt8])?
    /// Reads an input and returns whether it was accepted; throws if a property is violated.
    let check: @Sendable ([UInt8]) async throws(BrokenProperty) -> Bool

    init(
        _ name: String, words: [String], seeds: [[UInt8]] = [], maximumLength: Int = Mutator.defaultMaximumLength, isSlow: Bool = false,
        reshape: (@Sendable ([UInt8], Mutator, inout SeededGenerator) -> [UInt8])? = nil,
        check: @escaping @Sendable ([UInt8]) async throws(BrokenProperty) -> Bool
    ) {
        self.name = name
        self.words = words.map { Array($0.utf8) }
        self.seeds = seeds
        self.maximumLength = maximumLength
        self.isSlow = isSlow
        self.reshape = reshape
        self.check = check
    }

    /// All readers.
    public static var all: [FuzzedReader] {
        var readers: [FuzzedReader] = [
            .json, .webURL, .form, .challenge, .callback, .compactToken, .claims, .keySet, .metadata, .tokenAnswer, .toml,
            .store, .oidcAgent,
        ]
        // Only builds for testing expose the declarations that these readers need.
        #if DEBUG || YETT_FUZZ
            readers += [.configuration, .theme]
        #endif
        return readers
    }
}

/// Returns the bytes as text, with invalid UTF-8 replaced, as parsers of text receive them.
func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }
