/// The help pages that are not about a single command, in their listed order.
package enum HelpTopics {
    package static let all = [
        configuration, keys, signIn, sessions, tools, prompt, shellKeys, assistants, forwarding, oidcAgent, files, environment, exitStatus,
        security,
        json,
        sandboxVendors,
    ]
}
