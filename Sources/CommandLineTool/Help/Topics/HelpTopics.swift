/// The manual's pages that are about no single command, in the order they are listed in.
enum HelpTopics {
    static let all = [configuration, keys, signIn, sessions, tools, files, environment, exitStatus, security, json, sandboxVendors]
}
