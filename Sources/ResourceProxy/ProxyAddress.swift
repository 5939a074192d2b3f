/// Where the proxy listens.
package enum ProxyAddress: Equatable, Sendable {
    /// A socket file that only the user can open.
    case unix(path: String)
    /// A port on 127.0.0.1; 0 for any free one.
    case tcp(port: Int)

    /// Reads `unix:PATH` or `127.0.0.1:PORT`; `nil` for other texts.
    package init?(_ text: String) {
        if let path = text.after("unix:") {
            // sun_path has 108 bytes with the final zero.
            guard path.hasPrefix("/"), (2...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
        } else if let port = text.after("127.0.0.1:").flatMap(Int.init), (0...65_535).contains(port) {
            self = .tcp(port: port)
        } else {
            return nil
        }
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
