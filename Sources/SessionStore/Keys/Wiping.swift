import FoundationEssentials
import Glibc

extension Data {
    /// Overwrites the bytes. Meant for a value with one owner: a shared one would be copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes. Meant for a value with one owner: a shared one would be copied first.
    mutating func zeroize() {
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
    }
}
