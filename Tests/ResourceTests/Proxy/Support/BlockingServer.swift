import Glibc
import ProcessHarness

/// A server on 127.0.0.1 whose connections are scripts with blocking calls, each on a thread of its own.
final class BlockingServer: Sendable {
    let port: Int
    private let listener: CInt

    /// Starts the server. `script` is called with each connection and the header of its first request.
    init(_ script: @escaping @Sendable (CInt, String) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw NotBound() }
        port = Int(UInt16(bigEndian: address.sin_port))
        Task {
            await RawClient.run {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else {
                        if errno == EINTR { continue }
                        // Here and not in deinit: this thread would accept for the next server that gets the number.
                        close(listener)
                        return
                    }
                    Task {
                        await RawClient.run {
                            script(connection, Self.head(connection))
                            close(connection)
                        }
                    }
                }
            }
        }
    }

    struct NotBound: Error {}

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Reads up to the end of a header, and no further.
    static func head(_ descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]), Glibc.read(descriptor, &byte, 1) == 1 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads so many bytes, or fewer if the connection ends.
    static func read(_ descriptor: CInt, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let got = Glibc.read(descriptor, &piece, min(piece.count, count - bytes.count))
            guard got > 0 else { break }
            bytes += piece.prefix(got)
        }
        return bytes
    }
}
