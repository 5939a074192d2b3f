import Sandbox

/// The output of `--list-vendors`: the endpoints and settings of the vendors' systems, from their own tables.
enum VendorPages {
    static var lines: [String] {
        ["Settings of every vendor"] + terms(Vendor.commonSettings) + Vendor.allCases.flatMap(page)
    }

    private static func page(_ vendor: Vendor) -> [String] {
        ["", "\(vendor.title): --vendor \(vendor.rawValue)"] + vendor.endpoints.map { "  " + $0 }
            + (vendor.otherSignInMethods.map { ["  " + $0] } ?? []) + terms(vendor.ownSettings)
    }

    private static func terms(_ settings: [(name: String, summary: String)]) -> [String] {
        let width = settings.map(\.name.count).max() ?? 0
        return settings.map { "  \($0.name)\(String(repeating: " ", count: width - $0.name.count))  \($0.summary)" }
    }
}
