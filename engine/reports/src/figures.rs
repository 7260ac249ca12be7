//! Published tables, as data.
//!
//! Modelled: the shape of `lessons/figures/*.json`. Left out: reading them: whoever has a file
//! reads it. Invariants: every row has a value for each kernel; the first kernel is the baseline.

/// A published table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Stable id; its experiment has the same, unless it names one.
    pub id: String,
    /// For people.
    pub title: String,
    /// The experiment it reports, where that is not called as the table.
    pub experiment: Option<String>,
    /// With how many seeds its committed runs are made, from the experiment's own on: at least one.
    pub seeds: u64,
    /// Kernels, the baseline first.
    pub kernels: Vec<String>,
    /// Rows.
    pub rows: Vec<FigureRow>,
}

/// A row of a published table.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureRow {
    /// What was measured.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// One value a kernel.
    pub values: Vec<f64>,
    /// The experiment of this row alone.
    pub experiment: Option<String>,
    /// Why it is shown and not scored: what was chosen for the experiment follows from it.
    pub unscored: Option<String>,
    /// The row of a run that counts as the source did, where that is not called as this one.
    pub counted_as: Option<String>,
}

impl FigureRow {
    /// The metric of a run that is held against it.
    pub fn counterpart(&self) -> &str {
        self.counted_as.as_ref().unwrap_or(&self.metric)
    }
}

impl Table {
    /// Those of its kernels that are modelled, in its order.
    pub fn modelled(&self) -> Vec<&str> {
        let kernels = self.kernels.iter().map(String::as_str);
        kernels
            .filter(|id| mm::kernel::find(id).is_some())
            .collect()
    }

    /// Can something of it be compared? The baseline and another kernel are modelled, and all of its
    /// experiments are there.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn comparable(&self) -> Result<(), String> {
        let modelled = self.modelled();
        let baseline = self.kernels.first().map(String::as_str);
        if modelled.first().copied() != baseline || modelled.len() < 2 {
            let mut kernels = self.kernels.iter().map(String::as_str);
            let missing = kernels.find(|id| !modelled.contains(id));
            return Err(match missing {
                Some(id) => format!("there is no kernel {id:?} yet"),
                None => "it has no kernel beside its baseline".to_string(),
            });
        }
        match self.missing_experiment() {
            Some(id) => Err(format!("there is no experiment {id:?} yet")),
            None => Ok(()),
        }
    }

    /// The first experiment it reports that is not there yet.
    pub fn missing_experiment(&self) -> Option<String> {
        let mut all = self.experiments().into_iter();
        all.find(|id| mm::experiment::preset(id).is_none())
    }

    /// The experiment a row reports.
    pub fn experiment_of(&self, row: &FigureRow) -> String {
        let own = row.experiment.as_ref().or(self.experiment.as_ref());
        own.unwrap_or(&self.id).clone()
    }

    /// Every experiment of the table, each once.
    pub fn experiments(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for row in &self.rows {
            let id = self.experiment_of(row);
            if !out.contains(&id) {
                out.push(id);
            }
        }
        out
    }
}
