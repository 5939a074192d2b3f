import AuthModel

/// The page on which a person chooses who they are at a vendor's system, or says no.
///
/// The request's own parameters travel with the form, so that the answer is made of them alone.
enum AccountChooserPage {
    static let username = "sandbox_username"

    static func answer(title: String, action: String, parameters: [(name: String, value: String)], returnsTo redirect: String?) -> Answer {
        let hidden: [HTML] = parameters.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" }
        let people: [HTML] = SandboxUser.standard.map {
            "<button name=\"\(username)\" value=\"\($0.username)\">\($0.name)</button>\n"
        }
        let target = redirect.flatMap(WebURL.init)?.origin.description
        return Page.answer(
            title: title,
            """
            <form method="post" action="\(action)">
            \(hidden)\(people)
            <button class="plain" name="\(username)" value="">Cancel</button>
            </form>
            """, formTargets: target.map { [$0] } ?? [])
    }
}
