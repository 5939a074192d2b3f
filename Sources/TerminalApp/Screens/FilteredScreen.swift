import TerminalAppModel
import TerminalUI

/// A screen with a list and a filter: after a change of the filter, the first match is selected.
protocol FilteredScreen: Screen {
    /// The filter's text.
    var filter: TextFieldContent { get set }
    /// The index of the selected row.
    var selected: Int { get set }
    /// Finds the rows that match the filter.
    mutating func match(in model: AppModel)
}

extension FilteredScreen {
    func selectedRow(in model: AppModel) -> Int? { selected }
    mutating func mark(row: Int, in model: AppModel) { selected = row }

    mutating func type(_ input: TextInput, in model: AppModel) -> ScreenResult {
        let before = filter.text
        filter.take(input)
        if filter.text != before {
            selected = 0
            match(in: model)
        }
        return .none
    }
}
