package import AuthModel
import Localization

/// The texts for adding a provider.
package enum AddProviderWords {
    package static var title: String { tr("Add a provider") }
    package static var entry: String { tr("Add a provider…") }

    package static var intro: String {
        tr("Enter the address of an issuer, or of a resource such as an MCP server.")
    }
    package static var whichService: String { tr("Which service?") }
    package static var typeService: String { tr("type its name, or an address") }
    package static var otherAddress: String { tr("Another service, by its address…") }
    package static func useAddress(_ text: String) -> String { tr("Use the address {1}", text) }
    package static func found(_ count: Int) -> String { plural(count, "{1} service", "{1} services") }
    package static var place: String { tr("Place") }
    package static var page: String { tr("Your page") }
    package static var registerClient: String { tr("Register a client:") }
    package static var address: String { tr("Address") }
    package static var client: String { tr("Client") }
    package static var ownClient: String { tr("I have a client id") }
    package static var registers: String { tr("register a new one") }
    package static var clientID: String { tr("Client ID") }
    package static var secretFile: String { tr("Secret file") }
    package static var scopes: String { tr("Scopes") }
    package static var name: String { tr("Local name") }

    package static var addressHelp: String { tr("An https URL; http only for this machine.") }
    package static func placeHelp(_ what: String, _ example: String) -> String { tr("Enter {1}, such as {2}.", what, example) }
    package static func emptyMeans(_ value: String) -> String { tr("Empty: {1}.", value) }
    package static var pageHelp: String {
        tr("The provider does not redirect to this machine. Enter an https page of your own; you paste its address when you sign in.")
    }
    package static var clientHelp: String {
        tr("Many providers issue client ids only manually. Some let a program register a new client.")
    }
    package static var secretHelp: String { tr("Only if the provider issued a secret: a file that only you can read.") }
    package static var scopesHelp: String { tr("Separated by spaces. Empty: the default scopes.") }
    package static var nameHelp: String { tr("Empty: a name derived from the host.") }

    package static var noAddress: String { tr("the address is missing") }
    package static func missingAnswer(_ what: String) -> String { tr("enter {1}", what) }
    package static var notAPage: String { tr("not an https page: write https://host/path") }
    package static var noSecretFile: String { tr("the provider requires a client secret: enter the path of its file") }
    package static var notAnAddress: String { tr("not a valid address: write https://host or https://host/path") }
    package static var notProtected: String { tr("http is allowed only for this machine: write https") }
    package static var hasBlanks: String { tr("spaces are not allowed") }
    package static var noClientID: String { tr("the client id is missing: enter it, or register a new one") }
    package static var badName: String { tr("use only letters, digits, '.', '_' and '-'") }
    package static func nameTaken(_ name: String) -> String { tr("a provider named {1} already exists", name) }

    package static var finding: String { tr("Looking up the provider.") }
    package static var adding: String { tr("Saving it in the configuration.") }
    package static var registering: String { tr("Registering a client and saving it in the configuration.") }
    package static var findTitle: String { tr("Look up the provider") }
    package static var addTitle: String { tr("Add the provider") }

    package static func whichServer(_ resource: String) -> String {
        tr("{1} accepts tokens from these servers. Which one do you trust?", resource)
    }
    package static var serverWarning: String {
        tr("This list comes from the resource and is not verified. Continue only if you know the server.")
    }

    package static var confirm: String { tr("Is this the right provider?") }
    package static var nameHere: String { tr("local name") }
    package static var issuer: String { tr("issuer") }
    package static var resource: String { tr("for the resource") }
    package static func endpoint(_ purpose: ProviderOffer.Endpoint.Purpose) -> String {
        switch purpose {
        case .signIn: tr("you sign in at")
        case .tokens: tr("tokens come from")
        case .registration: tr("registers clients at")
        }
    }
    package static var kind: String { tr("kind") }
    package static var asksFor: String { tr("asks for") }
    package static var offers: String { tr("supports") }
    package static var redirect: String { tr("redirect") }
    package static var registerRedirect: String { tr("Register this redirect URI with the provider:") }
    package static var willRegister: String { tr("new; registered when you confirm") }
    package static var namesClient: String { tr("set by the provider at each sign-in") }
    package static var nothing: String { tr("nothing") }

    package static func added(_ name: ProviderName) -> String { tr("added {1}", name) }
    package static var cannotAdd: String { tr("providers cannot be added from here: run yett providers add") }
    package static var stillWorking: String { tr("waiting for the provider") }

    package static var keyFind: String { tr("continue") }
    package static var keyChoose: String { tr("choose") }
    package static var keyAdd: String { tr("add") }
    package static var keyChange: String { tr("change") }
    package static var keyCopy: String { tr("copy redirect") }
    package static var keyNew: String { tr("add provider") }
    package static var helpNew: String { tr("add a provider to the configuration") }
    package static var keyStop: String { tr("cancel") }
    package static var noRedirect: String { tr("no redirect URI to copy") }
}

/// The texts of all forms.
package enum FormWords {
    package static var keyNext: String { tr("next field") }
    package static var keyPrevious: String { tr("previous field") }
    package static var helpNext: String { tr("go to the next field; the arrow keys change a choice") }
    package static var helpSubmit: String { tr("go to the next field; in the last field, submit the form") }
}
