import FoundationEssentials
import ProcessHarness

/// The kept inputs of a reader: small files, made by hand or found by the fuzzer.
public enum Corpus {
    /// The folder that has a folder for every reader.
    public static let folder = Product.sourceTree + "/Tests/Fuzz/Corpus"

    /// The kept inputs of a reader, by the names of their files.
    /// - Throws: when there are none, since a fuzzer that starts from nothing finds nothing.
    public static func inputs(of reader: String) throws -> [[UInt8]] {
        let place = folder + "/" + reader
        let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
        let inputs = names.compactMap { FileManager.default.contents(atPath: place + "/" + $0) }.map { data in
            // An editor ends a file with a line end, which is no part of the input.
            Array(data.last == 0x0A ? data.dropLast() : data)
        }
        guard !inputs.isEmpty else { throw BrokenProperty("there is no input in \(place)") }
        return inputs
    }
}
