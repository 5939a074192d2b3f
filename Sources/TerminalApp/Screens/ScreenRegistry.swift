import TerminalAppModel

/// All screens of the app.
enum ScreenRegistry {
    /// The types of all screens. The documentation of the keys and the palette use this order, and the first
    /// screen is the first of them that offers itself in ``Screen/home(in:)``.
    static let screens: [any Screen.Type] = [
        HomeScreen.self,
        SessionsScreen.self,
        SessionScreen.self,
        ActivityScreen.self,
        PickerScreen.self,
        SigningInScreen.self,
        GuideScreen.self,
        InspectorScreen.self,
        TimelineScreen.self,
        SettingsScreen.self,
        SignOutScreen.self,
        AddProviderScreen.self,
        SigningOutScreen.self,
        SignOutEverywhereScreen.self,
        ReceiptScreen.self,
        WelcomeScreen.self,
        NextStepScreen.self,
        ProblemScreen.self,
        ConfirmScreen.self,
        UnlockScreen.self,
        QuestionScreen.self,
        PaletteScreen.self,
        SwitcherScreen.self,
        HelpScreen.self,
    ]

    /// Returns the first screen for this state.
    static func home(in model: AppModel) -> (any Screen)? { screens.lazy.compactMap { $0.home(in: model) }.first }
}
