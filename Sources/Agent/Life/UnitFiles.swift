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
    ///
    /// The service has the restrictions that a user unit can have. The others need privileges of the user manager, or a user namespace:
    /// - `CapabilityBoundingSet`, `PrivateDevices`, `ProtectClock`, `ProtectKernelLogs` and `ProtectKernelModules` change the capability
    ///   bounding set. A user manager may not, and the service fails with status 218. The agent has no capabilities in any case.
    /// - `ProtectSystem`, `ProtectHome`, `PrivateTmp`, `ProtectProc` and everything else with a mount or host name namespace is ignored,
    ///   or implies `PrivateUsers`. A process in a user namespace cannot read `/proc/PID/exe` of a process outside, so the activity log
    ///   would not name the programs that use tokens. Where user namespaces are forbidden, the service would not start.
    /// - `IPAddressDeny` and `DeviceAllow` need root.
    ///
    /// The user's hook and secret commands inherit the restrictions. Therefore the unit does not set `MemoryDenyWriteExecute`, which stops
    /// programs with a JIT compiler, or `KeyringMode`, which hides the user's kernel keyring; and it allows all of `@system-service`.
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
        UMask=0077
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        SystemCallArchitectures=native
        SystemCallErrorNumber=EPERM
        SystemCallFilter=@system-service

        """
    }

    /// Quotes the path of a program for a command line as systemd.service(5) reads it. systemd replaces no variables in it.
    private static func quoted(_ path: String) -> String {
        let escaped = path.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\", "\"": "\\\(scalar)"
            case "%": "%%"
            case "\u{0}"..."\u{1F}": "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
        return escaped.contains { " \"';\\".contains($0) } ? "\"\(escaped)\"" : escaped
    }
}
