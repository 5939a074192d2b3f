import FoundationEssentials
import ProcessHarness

/// The stored inputs of each reader: small files, written by hand or found by the fuzzer.
public enum Corpus {
    /// The folder with one subfolder per reader.
    public static let folder = Product.sourceTree + "/Tests/Fuzz/Corpus"

    /// Returns the stored inputs of a reader, in the order of their file names.
    /// - Throws: if there are none, because a fuzzer without initial inputs finds nothing.
    public static func inputs(of reader: String) throws -> [[UInt8]] {
        let place = folder + "/" + reader
        let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
        let inputs = names.compactMap { FileManager.default.contents(atPath: place + "/" + $0) }.map { data in
            // Editors add a newline at the end of a file, which is not part of the input.
            Array(data.last == 0x0A ? data.dropLast() : data)
        }
        guard !inputs.isEmpty else { throw BrokenProperty("there is no input in \(place)") }
        return inputs
    }
}
