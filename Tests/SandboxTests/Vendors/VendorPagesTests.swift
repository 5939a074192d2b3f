import Testing

@testable import Sandbox

/// The pages about the vendors' systems match the code.
struct VendorPagesTests {
    private static let pages: [(Vendor, String)] = [
        (.mapsIndoors, "MapsIndoors"), (.beyondIdentity, "BeyondIdentity"), (.arcGIS, "ArcGIS"), (.openWeb, "OpenWeb"),
        (.awsSSO, "AWSIdentityCenter"),
    ]

    @Test(arguments: pages) func vendorPageListsEverySetting(vendor: Vendor, name: String) throws {
        let page = try #require(DocumentationPage.text(name))
        #expect(vendor.ownSettings.filter { !page.contains("| `\($0.name)` | ") }.map(\.name) == [])
    }

    @Test func commonPageListsEverySetting() throws {
        let page = try #require(DocumentationPage.text("VendorSystems"))
        #expect(Vendor.commonSettings.filter { !page.contains("| `\($0.name)` | ") }.map(\.name) == [])
        #expect(TLSUse.allCases.filter { !page.contains("`\($0.rawValue)`") } == [])
    }

    @Test func everyVendorHasAPageAndEndpoints() {
        #expect(Self.pages.map(\.0) == Vendor.allCases)
        for vendor in Vendor.allCases { #expect(vendor.endpoints.count > 8, "\(vendor)") }
        #expect(Vendor.mapsIndoors.endpoints.contains("GET, POST /connect/authorize"))
    }
}
