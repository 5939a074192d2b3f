/// The units of a systemd user service.
public enum UnitFiles {
    /// The text of `yett-agent.socket`.
    public static let socket = """
        [Unit]
        Description=Socket of yett's session service

        [Socket]
        ListenStream=%t/yett/agent.sock
        FileDescriptorName=agent
        SocketMode=0600
        DirectoryMode=0700

        [Install]
        WantedBy=sockets.target

        """

    /// Returns the text of `yett-agent.service` for the program at a path.
    public static func service(program: String) -> String {
        """
        [Unit]
        Description=yett's session service (agent)
        Requires=yett-agent.socket

        [Service]
        Type=notify
        ExecStart=\(quoted(program)) agent run
        Environment=SWIFT_BACKTRACE=enable=no
        WatchdogSec=60
        Restart=on-failure
        LimitCORE=0
        NoNewPrivileges=yes
        PrivateTmp=no
        UMask=0077

        """
    }

    /// Quotes a path for a command line as systemd.service(5) reads it.
    private static func quoted(_ path: String) -> String {
        let escaped = path.map { ["\\": "\\\\", "\"": "\\\"", "%": "%%", "$": "$$"][$0] ?? String($0) }.joined()
        return escaped.contains(" ") || escaped.contains("\"") ? "\"\(escaped)\"" : escaped
    }
}
