internal import Crypto

/// The name of a hash function.
enum HashFunctionName: Sendable {
    case sha256
    case sha384
    case sha512

    /// Returns the digest of `bytes`.
    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}
