internal import ArgumentParser

/// The arguments of a command that prints something about one provider.
struct ProviderArguments: ParsableArguments {
    @Argument(help: "The provider's name.", completion: .names(.providers))
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp
}
