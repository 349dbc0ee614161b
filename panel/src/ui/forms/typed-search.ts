import { useState } from "react";

/** Props of a list that is searched by typing. Enter takes the first match, and nothing if nothing is typed. */
export function useTypedSearch() {
  const [searchValue, onSearchChange] = useState("");
  return {
    searchable: true,
    searchValue,
    onSearchChange,
    selectFirstOptionOnChange: searchValue.trim() !== "",
  } as const;
}
