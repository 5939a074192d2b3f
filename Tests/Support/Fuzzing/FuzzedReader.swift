/// A reader of foreign bytes, with what it promises about each of them.
public struct FuzzedReader: Sendable {
    /// The name, which is that of the folder of its corpus as well.
    public let name: String
    /// Words of its grammar, for the mutator.
    let words: [[UInt8]]
    /// Inputs that are made rather than kept, for they hold a signature or a state.
    let seeds: [[UInt8]]
    /// Longer inputs are cut.
    let maximumLength: Int
    /// Whether an input takes milliseconds, so that a short form has to do with fewer.
    public let isSlow: Bool
    /// Changes an input in a way that needs to know its form; `nil` where bytes are all there is to it.
    let reshape: (@Sendable ([UInt8], Mutator, inout SeededGenerator) -> [UInt8])?
    /// Reads an input and says whether it was taken; throws where a promise was not kept.
    let check: @Sendable ([UInt8]) async throws(BrokenProperty) -> Bool

    init(
        _ name: String, words: [String], seeds: [[UInt8]] = [], maximumLength: Int = Mutator.usualLength, isSlow: Bool = false,
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

    /// All of them.
    public static var all: [FuzzedReader] {
        var readers: [FuzzedReader] = [
            .json, .webURL, .form, .challenge, .callback, .compactToken, .claims, .keySet, .metadata, .tokenAnswer, .toml,
            .store,
        ]
        // These are read by declarations that only a build made for testing shows.
        #if DEBUG || YETT_FUZZ
            readers += [.configuration, .theme]
        #endif
        return readers
    }
}

/// The bytes as text, damaged UTF-8 replaced: what reaches a reader that takes text.
func text(_ input: [UInt8]) -> String { String(decoding: input, as: UTF8.self) }
