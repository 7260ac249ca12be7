import { Icon } from "./icons";
import { switchTheme, useTheme } from "./theme";
import { THEME_BUTTON } from "./words";

/** Switches between light and dark. */
export function ThemeButton() {
  const theme = useTheme();
  const words = theme === "dark" ? THEME_BUTTON.lightTheme : THEME_BUTTON.darkTheme;
  return (
    <button
      type="button"
      className="btn icon"
      aria-label={words}
      title={words}
      onClick={switchTheme}
    >
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}
