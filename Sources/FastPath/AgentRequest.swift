internal import CVersion

/// A request to the agent that can be written without reading a file.
protocol AgentRequest {
    var environment: LauncherEnvironment { get }
    /// The path of the request.
    var path: StaticString { get }
    /// Writes the JSON document of the request.
    func write(body: inout ByteWriter)
}

extension AgentRequest {
    /// Writes the request and returns its length; returns 0 if it cannot be written.
    ///
    /// - Parameter buffer: twice the maximum size of the request: the body is written to the second half first, to determine its length.
    func write(request buffer: UnsafeMutableRawBufferPointer) -> Int {
        let half = buffer.count / 2
        var body = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[half...]))
        write(body: &body)
        var head = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<half]))
        head.append("POST ")
        head.append(path)
        head.append(" HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: ")
        environment.append(environment.dataFolder, orHome: "/.local/share", to: &head)
        head.append("/yett\r\nYett-Configuration: ")
        environment.append(environment.configurationFolder, orHome: "/.config", to: &head)
        head.append("/yett/config.toml\r\nYett-Version: ")
        head.append(plain: cversion_text())
        head.append("\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ")
        head.append(body.count)
        head.append("\r\n\r\n")
        guard body.isValid else { return 0 }
        head.append(UnsafeRawBufferPointer(rebasing: buffer[half..<(half + body.count)]))
        return head.isValid ? head.count : 0
    }
}
