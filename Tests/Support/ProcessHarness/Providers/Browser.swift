/// What a test gives a program as `$BROWSER`.
public enum Browser {
    /// Where what is installed for the tests is kept, as `Tests/RealProviders` has it.
    static let cache: String =
        Product.environment("YETT_TEST_CACHE")
        ?? (Product.environment("XDG_CACHE_HOME") ?? (Product.environment("HOME") ?? "") + "/.cache") + "/yett-tests"

    private static let folder = Product.sourceTree + "/Tests/RealProviders/browser"
    private static let python = cache + "/environments/browser/bin/python"

    /// Whether there is a Chromium that can be driven.
    public static var isInstalled: Bool {
        Product.installed("chromium") != nil && Product.installed("chromedriver") != nil && isProgram(python)
    }

    /// Only follows redirects: enough for a provider that asks nothing.
    public static let following = "'\(folder)/follow'"

    /// A person in front of Chromium, who signs in and consents as the pages ask.
    /// - Parameters:
    ///   - options: of `person.py`, such as `--deny`.
    ///   - log: a file that will tell what they did.
    public static func person(_ options: [String] = [], log: String) -> String {
        ([python, "\(folder)/person.py", "--log", log] + options).map { "'\($0)'" }.joined(separator: " ")
    }

    /// A person in front of Chromium, who goes to a page and is waited for.
    /// - Throws: when they get no further, with what they did.
    @discardableResult
    public static func visit(_ url: String, _ options: [String] = [], in home: TemporaryHome) async throws -> String {
        let person = Program(
            python, ["\(folder)/person.py", "--stay"] + options + [url], environment: home.environment, folder: home.path,
            limit: .seconds(90))
        let result = try await person.run()
        guard result.status == 0 else { throw HarnessError("the person at the browser: \(result)") }
        return result.errors
    }
}
