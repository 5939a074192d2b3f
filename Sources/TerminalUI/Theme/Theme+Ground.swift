extension Theme {
    /// Whether the theme is dark on light. The terminal's default background counts as dark: most are.
    public var hasLightGround: Bool {
        guard let ground = self[Surface.screen].color?.trueColor else { return false }
        return ground.contrast(with: Color(red: 0, green: 0, blue: 0)) > ground.contrast(with: Color(red: 255, green: 255, blue: 255))
    }
}
