import FoundationEssentials
import Glibc

extension Data {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros. Use it for a value with one owner: a shared value is copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}
