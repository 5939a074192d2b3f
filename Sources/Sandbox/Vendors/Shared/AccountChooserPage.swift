import AuthModel

/// The page of a vendor's system on which the user chooses an account or denies.
///
/// The form carries the request's own parameters, so that the response depends only on them.
enum AccountChooserPage {
    static let username = "sandbox_username"

    static func answer(title: String, action: String, parameters: [(name: String, value: String)], returnsTo redirect: String?)
        -> SandboxResponse
    {
        let hidden: [HTML] = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" }
        let users: [HTML] = SandboxUser.standard.map {
            "<button name=\"\(username)\" value=\"\($0.username)\">\($0.name)</button>\n"
        }
        let target = redirect.flatMap(WebURL.init)?.origin.description
        return Page.answer(
            title: title,
            """
            <form method="post" action="\(action)">
            \(hidden)\(users)
            <button class="plain" name="\(username)" value="">Cancel</button>
            </form>
            """, formTargets: target.map { [$0] } ?? [])
    }
}
